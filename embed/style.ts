/** Where browsers support relative colours, these tokens derive readable text from the brand as server/pages/brand.ts does. */
const dark = '--ink:#eef1f2;--soft:#a6b0b6;--paper:#171b1e;--edge:#727d84;--lift:.51;color-scheme:dark'
export const tokens = `:host{--ink:#14191c;--soft:#4e585e;--paper:#fff;--edge:#7d878e;--lift:0;color-scheme:light;--fill:var(--brand,var(--ink));--on:var(--paper)}
@media(prefers-color-scheme:dark){:host(:not([theme=light])){${dark}}}
:host([theme=dark]){${dark}}
@supports(color:color(from red xyz-d65 x y z)){:host{--fill:oklch(from var(--brand,var(--ink)) max(l,var(--lift)) c h);--w:clamp(0,(.179 - y)*1e5,1);--on:color(from var(--fill) xyz-d65 calc(var(--w)*.9505) var(--w) calc(var(--w)*1.089))}}
:host([hidden]){display:none}
*{box-sizing:border-box;font:inherit}
:host{font:600 1rem/1.5 system-ui,sans-serif}
button{cursor:pointer;min-height:48px;padding:0 20px;background:var(--fill);color:var(--on);border:1px solid color-mix(in srgb,var(--on) 18%,transparent);border-radius:12px}
:focus-visible{outline:3px solid var(--fill);outline-offset:2px}
svg{width:20px;height:20px;flex:none;fill:none;stroke:currentColor;stroke-width:1.5;stroke-linecap:round;stroke-linejoin:round}
@keyframes t{to{rotate:1turn}}`

export const spin = (at: string) =>
  `${at}{border:2px solid;border-right-color:#0000;border-radius:50%}@media(prefers-reduced-motion:no-preference){${at}{animation:t .8s linear infinite}}`

/** Adopts a constructed style sheet, because no `style-src` policy blocks one. Returns a function that removes it. */
export const adopt = (root: Document | ShadowRoot, css: string): (() => void) => {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet]
  return () => {
    root.adoptedStyleSheets = root.adoptedStyleSheets.filter((adopted) => adopted !== sheet)
  }
}
