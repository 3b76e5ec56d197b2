import '@till-pay/checkout/react'

/** What a React project writes, and what must not compile in it. */
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
    {/* @ts-expect-error inline is an element of its own */}
    <till-button order="ord_1" present="inline" />
    {/* @ts-expect-error a promise is made too early: the window has to open first */}
    <till-button order={Promise.resolve('ord_1')} />
    {/* @ts-expect-error a checkout has no size: it is as large as its place */}
    <till-checkout order="ord_1" size="large" />
    {/* @ts-expect-error no such element */}
    <till-basket order="ord_1" />
    {/* @ts-expect-error open has no status */}
    <till-checkout onopen={(event) => event.detail.status} />
  </>
)
