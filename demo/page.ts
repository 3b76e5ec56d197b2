export const products = [
  { id: 'beans', name: 'Ethiopia Guji, whole bean', detail: '1 kg', price: '28.50' },
  { id: 'dripper', name: 'Porcelain dripper, size 02', detail: 'White', price: '14.00' },
  { id: 'both', name: 'Beans and dripper', detail: 'Together', price: '42.50' },
] as const

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escape = (text: string): string => text.replace(/[&<>"']/g, (one) => escapes[one] ?? '')

const css = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; background: light-dark(#f3f5f6, #0f1214); color: light-dark(#14191c, #eef1f2); }
main { max-width: 44rem; margin: 0 auto; padding: 3rem 1rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .25rem; }
p { margin: 0 0 1.5rem; color: light-dark(#4e585e, #a6b0b6); }
ul { list-style: none; margin: 0; padding: 0; display: grid; gap: .75rem; }
li { display: flex; align-items: center; gap: 1rem; padding: 1rem; border-radius: 14px; background: light-dark(#fff, #171b1e); border: 1px solid light-dark(#dde2e5, #2c3338); }
li div { flex: 1; } small { display: block; color: light-dark(#4e585e, #a6b0b6); }
button, .back { font: 600 16px/1.5 system-ui, sans-serif; min-height: 44px; padding: .5rem 1.25rem; border: 0; border-radius: 12px; background: light-dark(#0f4c5c, #376f80); color: #fff; text-decoration: none; }
button:focus-visible, .back:focus-visible { outline: 3px solid light-dark(#0f4c5c, #89c2d4); outline-offset: 2px; }
ol { padding-left: 1.25rem; } .back { display: inline-block; margin-top: 1rem; }
`

const document = (title: string, body: string): string => `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>${escape(title)}</title><style>${css}</style></head><body><main>${body}</main></body></html>`

export const shopPage = (): string =>
  document(
    'Northwind Coffee',
    `<h1>Northwind Coffee</h1><p>A demo shop. Test mode: no real money moves.</p><ul>${products
      .map(
        (one) => `<li><div>${escape(one.name)}<small>${escape(one.detail)}</small></div><strong>$${one.price}</strong>
<form method="post" action="/buy/${one.id}"><button>Buy</button></form></li>`,
      )
      .join('')}</ul>`,
  )

export const thanksPage = (orderId: string, events: readonly string[]): string =>
  document(
    'Your order',
    `<h1>${events.includes('ORDER_COMPLETED') ? 'Thank you. Your order is on its way.' : 'Your order is waiting for its payment.'}</h1>
<p>Order ${escape(orderId)}. The shop ships when the webhook says ORDER_COMPLETED, whatever the browser says.</p>
<ol>${events.map((event) => `<li>${escape(event)}</li>`).join('')}</ol><a class="back" href="/">Back to the shop</a>`,
  )

/** The style's own hash, so that the page may be as strict about itself as it should be. */
export const shopStyle = css
