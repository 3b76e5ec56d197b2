import type { Boot } from './wire/boot.ts'

interface HtmlDocument {
  readonly shell: Boot['shell']
  readonly css: string
  readonly lang: string
  readonly dir: 'ltr' | 'rtl'
  readonly title: string
  /** Already HTML, like the body. */
  readonly icons: string
  readonly body: string
  /** Classes of the element that is hydrated. */
  readonly root: string
  /** Addresses of the entry and of what it needs before it can run; empty for a page without scripts. */
  readonly scripts: readonly string[]
  /** What the script starts from; absent for a page without. */
  readonly data: object | undefined
  /** Seconds after which a page without scripts asks again. */
  readonly refresh: number | undefined
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escape = (text: string): string => text.replace(/[&<>"]/g, (letter) => escapes[letter] ?? letter)

/** `<` never appears, so neither `</script>` nor `<!--` can end or swallow the element; the rest is JSON's own. */
const inlineJson = (data: object): string => JSON.stringify(data).replace(/</g, '\\u003c')

export const htmlDocument = ({ shell, css, lang, dir, title, icons, body, root, scripts, data, refresh }: HtmlDocument): string => {
  const nonce = `nonce="${escape(shell.nonce)}"`
  const [entry, ...more] = scripts
  const interactive = data !== undefined && entry !== undefined
  return [
    `<!doctype html><html lang="${lang}" dir="${dir}"><head><meta charset="utf-8">`,
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    `<title>${escape(title)}</title>`,
    '<meta name="robots" content="noindex,nofollow"><meta name="referrer" content="no-referrer">',
    '<meta name="color-scheme" content="light dark">',
    shell.themeColor ? `<meta name="theme-color" content="${shell.themeColor}">` : '',
    // Requested while the rest is still being read, and after it: on a slow connection the round trip is most of the time that a script takes.
    interactive ? more.map((href) => `<link rel="modulepreload" fetchpriority="low" ${nonce} href="${escape(href)}">`).join('') : '',
    interactive ? `<script type="module" fetchpriority="low" ${nonce} src="${escape(entry)}"></script>` : '',
    `<style ${nonce}>${css}${shell.brand ?? ''}</style>`,
    '<link rel="icon" href="/icon.svg" type="image/svg+xml"><link rel="apple-touch-icon" href="/icon.png">',
    '<noscript>',
    refresh ? `<meta http-equiv="refresh" content="${refresh}">` : '',
    `<style ${nonce}>.js{display:none!important}.nojs{display:inline-flex!important}</style></noscript></head>`,
    `<body>${icons}<div id="till" class="${root}">${body}</div>`,
    data ? `<script type="application/json" id="boot">${inlineJson(data)}</script>` : '',
    '</body></html>',
  ].join('')
}
