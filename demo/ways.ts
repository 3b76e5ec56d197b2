import { basket, type Way } from './page.ts'

const script = (payUrl: string) => `<script async src="${payUrl}/till.js"></script>`
const order = "async () => (await fetch('/checkout', { method: 'POST' })).text()"

/** Each way of embedding has a page, and the code that the page shows is the code that it runs. */
export const ways: readonly Way[] = [
  {
    path: '/modal',
    name: 'Modal',
    lead: 'A button. The checkout opens over the shop, and the order is made by the shop’s server after the click.',
    code: (payUrl) => `${script(payUrl)}

<till-button id="pay" size="large" brand="#0f4c5c">
  Pay $${basket.total}
</till-button>

<script>
  document.querySelector('#pay').order =
    ${order}
</script>`,
  },
  {
    path: '/inline',
    name: 'Inline',
    lead: 'The checkout as a part of the page, as high as it needs to be.',
    code: (payUrl) => `${script(payUrl)}

<till-checkout id="checkout"></till-checkout>

<script>
  document.querySelector('#checkout').order =
    ${order}
</script>`,
  },
  {
    path: '/popup',
    name: 'Popup',
    lead: 'A window of its own. It opens inside the click, so that no browser blocks it, and is filled when the order is there.',
    code: (payUrl) => `${script(payUrl)}

<till-button id="pay" size="large" brand="#0f4c5c" present="popup">
  Pay $${basket.total}
</till-button>

<script>
  document.querySelector('#pay').order =
    ${order}
</script>`,
  },
  {
    path: '/redirect',
    name: 'Redirect',
    lead: 'The whole tab goes to the checkout and comes back to the shop.',
    code: (payUrl) => `${script(payUrl)}

<till-button id="pay" size="large" brand="#0f4c5c" present="redirect">
  Pay $${basket.total}
</till-button>

<script>
  document.querySelector('#pay').order =
    ${order}
</script>`,
  },
  {
    path: '/script',
    name: 'By script',
    lead: 'A button of the shop’s own. Your code opens the checkout, and the result is a promise.',
    code: (payUrl) => `${script(payUrl)}

<button id="own">Check out</button>

<script>
  const order =
    ${order}
  document.querySelector('#own').onclick = async () => {
    const { type } = await Till.open({ order }).result
    document.querySelector('#own').textContent =
      type === 'paid' ? 'Thank you' : 'Check out'
  }
</script>`,
  },
]
