/** @jsxImportSource preact */
import '@till-pay/checkout/preact'
import { loadTill } from '@till-pay/checkout'
import { renderToString } from 'preact-render-to-string'

/** On a server the elements render as markup, and nothing is loaded. */
const Page = () => (
  <main>
    <till-button order="ord_1" size="large">
      Pay
    </till-button>
    <till-checkout order="ord_1" theme="dark" />
  </main>
)

export const render = async (): Promise<string> =>
  `${String(await loadTill({ payUrl: 'https://pay.example' }))} ${renderToString(<Page />)}`
