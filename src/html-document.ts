import { withoutRepeats } from './wire/repeats.ts'
import type { Boot } from './wire/boot.ts'

interface HtmlDocument {
  readonly shell: Boot['shell']
  /** Only what this page needs of the stylesheet at first. Scripts replace it by all of it. */
  readonly css: string
  /** The whole stylesheet, which scripts fetch, and a browser without scripts after it has drawn the page. */
  readonly styles?: string
  readonly lang: string
  readonly dir: 'ltr' | 'rtl'
  readonly title: string
  /** This is HTML already and not escaped, like `body`. */
  readonly symbols: string
  readonly body: string
  /** The element that the script hydrates gets these classes. */
  readonly root: string
  /** The entry's URL comes first, and then the files that the browser preloads. A page without scripts has none. */
  readonly scripts: readonly string[]
  /** The script starts from this data. A page without scripts has none. */
  readonly data: object | undefined
  /** The script has to check the order before its address can be copied or opened. */
  readonly isUnchecked?: boolean
  /** The host has to check it too, and until then nothing of it can be seen. */
  readonly awaitsHost?: boolean
  /** The page's host learns at once that the frame is not refused, while the script that talks to it is still loading. */
  readonly isFramed?: boolean
  /** The page is reloaded after this many seconds, unless a script of its own follows the order. */
  readonly refresh: number | undefined
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escape = (text: string): string => text.replace(/[&<>"]/g, (letter) => escapes[letter] ?? letter)

/** `alive` of embed/protocol.ts. Only an origin that may frame this page can be its parent. */
const alive = '/^till http/.test(name)&&parent!=self&&parent.postMessage({till:1,type:"alive"},name.split(" ")[1])'

/** Nothing of the order can be seen or focused until the merchant's page has checked it (host.ts), also without scripts. */
const hiddenUntilChecked = '#till[data-awaits-host],#till[data-awaits-host] *{visibility:hidden!important}'

/** HTML needs no end tag of a list's items, and SVG none of an element without content. A page has fifty of them. */
const withoutIdleEnds = (html: string): string => html.replace(/><\/(?:path|use|image)>/g, '/>').replace(/<\/li>(?=<li|<\/ul)/g, '')

/** Without any `<`, no text of the data can end the script element or open a comment in it. The result is still valid JSON. */
const inlineJson = (data: object): string => withoutRepeats(data).replace(/</g, '\\u003c')

export const htmlDocument = ({
  shell,
  css,
  styles,
  lang,
  dir,
  title,
  symbols,
  body,
  root,
  scripts,
  data,
  isUnchecked,
  awaitsHost,
  isFramed,
  refresh,
}: HtmlDocument): string => {
  const nonce = `nonce="${escape(shell.nonce)}"`
  const [entry, ...more] = scripts
  const interactive = data !== undefined && entry !== undefined
  const own = shell.brand || awaitsHost ? `<style ${nonce}>${shell.brand ?? ''}${awaitsHost ? hiddenUntilChecked : ''}</style>` : ''
  const reload = refresh ? `<meta http-equiv="refresh" content="${refresh}">` : ''
  return [
    `<!doctype html><html lang="${lang}" dir="${dir}"><head><meta charset="utf-8">`,
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    `<title>${escape(title)}</title>`,
    '<meta name="color-scheme" content="light dark">',
    shell.themeColor ? `<meta name="theme-color" content="${shell.themeColor}">` : '',
    // On a slow connection a script mostly waits for its round trip, so the requests start in the head, with a low priority.
    interactive ? more.map((href) => `<link rel="modulepreload" fetchpriority="low" ${nonce} href="${escape(href)}">`).join('') : '',
    interactive ? `<script type="module" fetchpriority="low" ${nonce} src="${escape(entry)}"></script>` : '',
    `<style ${nonce} id="css">${css}</style>`,
    own,
    '<link rel="icon" href="/icon.svg"><link rel="apple-touch-icon" href="/icon.png">',
    interactive && isFramed ? `<script ${nonce}>${alive}</script>` : '',
    interactive ? '' : reload,
    '<noscript>',
    interactive ? reload : '',
    `<style ${nonce}>.js{display:none!important}.nojs{display:inline-flex!important}.open{visibility:visible!important}</style></noscript></head>`,
    `<body>${withoutIdleEnds(symbols)}<div id="till" class="${root}"${isUnchecked ? ' data-unchecked' : ''}${awaitsHost ? ' data-awaits-host' : ''}>${withoutIdleEnds(body)}</div>`,
    data ? `<script type="application/json" id="boot">${inlineJson(data)}</script>` : '',
    // Here it delays no content, and the rules of the merchant's colours have to come after it again.
    interactive && styles ? `<noscript><link rel="stylesheet" ${nonce} href="${escape(styles)}">${own}</noscript>` : '',
    '</body></html>',
  ].join('')
}
