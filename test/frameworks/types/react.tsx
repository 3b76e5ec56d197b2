import { TillButton, TillCheckout } from '@till-pay/checkout/react'

/** A React project's view, with mistakes that must not compile. */
export const View = () => (
  <>
    <TillButton
      order={async () => 'ord_1'}
      size="large"
      look="line"
      present="popup"
      brand="#0f4c5c"
      className="wide"
      key="pay"
      ref={(element) => element?.session?.close()}
      onPaid={(event) => event.detail.status.toUpperCase()}
      onClick={(event) => event.currentTarget.order}
    >
      Pay $42.50
    </TillButton>
    <TillCheckout order="ord_1" theme="dark" onError={(event) => event.detail.code} onPartial={(event) => event.detail.remaining} />
    <till-button order="ord_1" size="small" className="wide" onpaid={(event) => event.detail.status.toUpperCase()} />
    <till-checkout order="ord_1" theme="dark" onerror={(event) => event.detail.code} />
  </>
)

export const Wrong = () => (
  <>
    {/* @ts-expect-error no such size */}
    <TillButton order="ord_1" size="huge" />
    {/* @ts-expect-error `inline` is not a presentation of a button */}
    <TillButton order="ord_1" present="inline" />
    {/* @ts-expect-error a promise starts before the click, but the window has to open first */}
    <TillButton order={Promise.resolve('ord_1')} />
    {/* @ts-expect-error a checkout has no size because it fills its container */}
    <TillCheckout order="ord_1" size="large" />
    {/* @ts-expect-error open has no status */}
    <TillCheckout onOpen={(event) => event.detail.status} />
    {/* @ts-expect-error no such event */}
    <TillCheckout onPayed={() => {}} />
    {/* @ts-expect-error React would drop the function if till.js has not come yet: the component sets it */}
    <till-button order={async () => 'ord_1'} />
    {/* @ts-expect-error no such element */}
    <till-basket order="ord_1" />
  </>
)
