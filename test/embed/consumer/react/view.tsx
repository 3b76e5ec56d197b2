import '@till-pay/checkout/react'

/** A React project's view, with mistakes that must not compile. */
export const View = () => (
  <>
    <till-button
      order={async () => 'ord_1'}
      size="large"
      look="line"
      present="popup"
      brand="#0f4c5c"
      className="wide"
      key="pay"
      ref={(element) => element?.session?.close()}
      onpaid={(event) => event.detail.status.toUpperCase()}
      onClick={(event) => event.currentTarget.order}
    >
      Pay $42.50
    </till-button>
    <till-checkout order="ord_1" theme="dark" onerror={(event) => event.detail.code} onpartial={(event) => event.detail.remaining} />
  </>
)

export const Wrong = () => (
  <>
    {/* @ts-expect-error no such size */}
    <till-button order="ord_1" size="huge" />
    {/* @ts-expect-error `inline` is not a presentation of a button */}
    <till-button order="ord_1" present="inline" />
    {/* @ts-expect-error a promise starts before the click, but the window has to open first */}
    <till-button order={Promise.resolve('ord_1')} />
    {/* @ts-expect-error a checkout has no size because it fills its container */}
    <till-checkout order="ord_1" size="large" />
    {/* @ts-expect-error no such element */}
    <till-basket order="ord_1" />
    {/* @ts-expect-error open has no status */}
    <till-checkout onopen={(event) => event.detail.status} />
  </>
)
