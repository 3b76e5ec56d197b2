export const products = [
  { id: 'beans', name: 'Ethiopia Guji, whole bean', detail: '1 kg', price: '28.50' },
  { id: 'dripper', name: 'Porcelain dripper, size 02', detail: 'White', price: '14.00' },
  { id: 'both', name: 'Beans and dripper', detail: 'Together', price: '42.50' },
] as const

export type Product = (typeof products)[number]

/** The pages that embed the checkout all sell this basket, so that they differ only in how they embed it. */
export const basket = { lines: [products[0], products[1]], total: '42.50' } as const

export interface Way {
  readonly path: string
  readonly name: string
  readonly lead: string
  readonly code: (payUrl: string) => string
}

export type Link = Pick<Way, 'path' | 'name'>

export interface Scenario {
  readonly name: string
  readonly title: string
  readonly sentence: string
  /** It can happen on chains of these families. */
  readonly families: readonly string[]
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => escapes[character] ?? '')

const css = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; --ink: light-dark(#2b211a, #f3ece2); --soft: light-dark(#6d5c4d, #b8a999); --line: light-dark(#e6dccb, #3a322b); --paper: light-dark(#fffdf9, #221d19); --fill: light-dark(#0f4c5c, #376f80); --accent: light-dark(#0f4c5c, #89c2d4); }
* { box-sizing: border-box; }
body { margin: 0; background: light-dark(#faf6ee, #191512); color: var(--ink); }
header { border-bottom: 1px solid var(--line); }
header div { max-width: 72rem; margin: 0 auto; padding: .5rem 1rem; display: flex; flex-wrap: wrap; align-items: center; gap: 0 1.25rem; }
header b { margin-right: auto; font-weight: 600; }
header b a { text-decoration: none; }
header a { display: inline-flex; align-items: center; min-height: 44px; color: inherit; text-underline-offset: .35em; text-decoration-line: none; }
header a:hover, header a[aria-current] { text-decoration-line: underline; }
main { max-width: 72rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
.narrow { max-width: 44rem; }
h1 { font-size: 1.5rem; line-height: 1.25; letter-spacing: -.015em; margin: 0 0 .25rem; text-wrap: balance; }
h2 { font-size: .9375rem; margin: 0; }
p { margin: 0 0 1.5rem; color: var(--soft); text-wrap: pretty; }
ul { list-style: none; margin: 0; padding: 0; }
.shelf { display: grid; gap: .75rem; }
.shelf li { display: flex; align-items: center; gap: 1rem; padding: 1rem; border-radius: 14px; background: var(--paper); border: 1px solid var(--line); }
.shelf li > div { flex: 1; }
small { display: block; color: var(--soft); font-size: .875rem; }
.basket li { display: flex; justify-content: space-between; gap: 1rem; padding: .875rem 0; border-bottom: 1px solid var(--line); font-variant-numeric: tabular-nums; }
.two { display: grid; gap: 2.5rem; }
.two > * { min-width: 0; }
till-button { display: block; margin-top: 1.25rem; }
till-checkout { margin-top: 1.25rem; border: 1px solid var(--line); border-radius: 14px; overflow: hidden; }
button, .back { font: 600 16px/1.5 system-ui, sans-serif; min-height: 44px; padding: .5rem 1.25rem; border: 0; border-radius: 12px; background: var(--fill); color: #fff; text-decoration: none; cursor: pointer; }
#own { width: 100%; margin-top: 1.25rem; min-height: 56px; }
button.quiet { min-height: 44px; background: none; color: inherit; border: 1px solid var(--line); font-size: .875rem; font-weight: 500; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.side { display: grid; gap: .75rem; align-content: start; }
.bar { display: flex; align-items: center; justify-content: space-between; gap: 1rem; }
pre { margin: 0 0 1.5rem; padding: 1rem; overflow: auto; border-radius: 14px; border: 1px solid var(--line); background: var(--paper); font: .8125rem/1.6 ui-monospace, monospace; tab-size: 2; }
#log { min-height: 6rem; margin: 0; padding: .5rem 1rem; border-radius: 14px; border: 1px solid var(--line); background: var(--paper); font: .8125rem/1.6 ui-monospace, monospace; overflow-wrap: anywhere; list-style: none; }
#log:empty::before { content: "Nothing yet."; color: var(--soft); }
#log b { display: inline-block; min-width: 5.5em; font-weight: 600; }
ol { padding-left: 1.25rem; }
.back { display: inline-flex; align-items: center; margin-top: 1rem; }
@media (max-width: 32rem) { header b { flex: 1 0 100%; } }
@media (min-width: 60rem) { .two { grid-template-columns: minmax(0, 27.5rem) minmax(0, 1fr); gap: 4rem; } }
`

const document = (
  title: string,
  body: string,
  nav: readonly Link[],
  current = '',
): string => `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover"><title>${escape(title)}</title><style>${css}</style></head><body>
<header><div><b><a href="/">Northwind Coffee</a></b>${nav.map(({ path, name }) => `<a href="${path}"${path === current ? ' aria-current="page"' : ''}>${escape(name)}</a>`).join('')}</div></header>${body}</body></html>`

export const shopPage = (nav: readonly Link[]): string =>
  document(
    'Northwind Coffee',
    `<main class="narrow"><h1>Northwind Coffee</h1><p>A demo shop. Test mode: no real money moves. Above are the ways to embed the checkout; below is the plainest one, a link that works without any script.</p><ul class="shelf">${products
      .map(
        (product) => `<li><div>${escape(product.name)}<small>${escape(product.detail)}</small></div><strong>$${product.price}</strong>
<form method="post" action="/buy/${product.id}"><button>Buy</button></form></li>`,
      )
      .join('')}</ul></main>`,
    nav,
  )

/** The example runs exactly as printed, except that the shop's nonce is added to its scripts. */
export function wayPage(way: Way, nav: readonly Link[], payUrl: string, nonce: string): string {
  const code = way.code(payUrl)
  const live = code.replaceAll('<script', `<script nonce="${nonce}"`)
  return document(
    `${way.name}: Northwind Coffee`,
    `<script nonce="${nonce}" src="/log.js"></script><main><div class="two">
<section><h1>Your basket</h1><ul class="basket">${basket.lines.map((line) => `<li>${escape(line.name)}<span>$${line.price}</span></li>`).join('')}<li><b>Total</b><b>$${basket.total}</b></li></ul>
${live}</section>
<section class="side"><h1>${escape(way.name)}</h1><p>${escape(way.lead)}</p>
<div class="bar"><h2 id="code-title">The code</h2><button class="quiet" type="button" id="copy">Copy</button></div>
<pre tabindex="0" role="region" aria-labelledby="code-title"><code id="code">${escape(code)}</code></pre>
<h2 id="log-title">Events that the shop receives</h2><ol id="log" aria-labelledby="log-title" aria-live="polite"></ol>
<p>A hint, not a proof: the shop ships when the signed webhook says so.</p></section></div></main>`,
    nav,
    way.path,
  )
}

export const thanksPage = (orderId: string, events: readonly string[], nav: readonly Link[]): string =>
  document(
    'Your order',
    `<main class="narrow"><h1>${events.includes('ORDER_COMPLETED') ? 'Thank you. Your order is on its way.' : 'Your order is waiting for its payment.'}</h1>
<p>Order ${escape(orderId)}. The shop ships when the webhook says ORDER_COMPLETED, whatever the browser says.</p>
<ol>${events.map((event) => `<li>${escape(event)}</li>`).join('')}</ol><a class="back" href="/">Back to the shop</a></main>`,
    nav,
  )

/** A scenario that can happen on several families of chains is watched in these coins too. */
export const otherCoins = [
  { family: 'bitcoin', label: 'In bitcoin', currency: '20000000000001-native' },
  { family: 'solana', label: 'In SOL', currency: '30000000000001-native' },
] as const

/** Each form creates a new order and plays its scenario on it, so scenarios do not affect each other. */
export const scenariosPage = (scenarios: readonly Scenario[], nav: readonly Link[], path: string): string =>
  document(
    'Scenarios: Northwind Coffee',
    `<main class="narrow"><h1>What happens to payments in life</h1><p>Each makes an order, opens its page and plays it on the local chains before your eyes. From a terminal: npm run scenario.</p><ul class="shelf">${scenarios
      .map(
        ({ name, title, sentence, families }) => `<li><div>${escape(title)}<small>${escape(sentence)}</small></div>
<form method="post" action="${path}/${escape(name)}"><button aria-label="Watch: ${escape(title)}">Watch</button></form>${
          families.length > 1
            ? otherCoins
                .filter(({ family }) => families.includes(family))
                .map(
                  ({ family, label }) =>
                    `<form method="post" action="${path}/${escape(name)}/${family}"><button class="quiet" aria-label="${label}: ${escape(title)}">${label}</button></form>`,
                )
                .join('')
            : ''
        }</li>`,
      )
      .join('')}</ul></main>`,
    nav,
    path,
  )

/** The server needs the hash of the style for its content security policy, which allows no other inline style. */
export const shopStyle = css
