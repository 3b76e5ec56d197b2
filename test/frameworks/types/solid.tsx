import '@till-pay/checkout/solid'

/** A Solid project's view, with mistakes that must not compile. */
export const View = () => (
  <>
    <till-button prop:order={async () => 'ord_1'} size="large" class="wide" on:paid={(event) => event.detail.status.toUpperCase()}>
      Pay $42.50
    </till-button>
    <till-checkout prop:order="ord_1" theme="dark" on:error={(event) => event.detail.code} />
  </>
)

export const Wrong = () => (
  <>
    {/* @ts-expect-error no such size */}
    <till-button order="ord_1" size="huge" />
    {/* @ts-expect-error a promise starts before the click, but the window has to open first */}
    <till-button prop:order={Promise.resolve('ord_1')} />
    {/* @ts-expect-error a function is set with `prop:` */}
    <till-button order={async () => 'ord_1'} />
    {/* @ts-expect-error open has no status */}
    <till-checkout on:open={(event) => event.detail.status} />
  </>
)
