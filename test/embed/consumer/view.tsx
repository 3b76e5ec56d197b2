import { TillButton, TillCheckout } from '@till-pay/checkout/preact'

/** @jsxImportSource preact */
export const View = () => (
  <>
    <TillButton order={async () => 'ord_1'} size="large" present="popup" onPaid={(event) => event.detail.status} class="wide">
      Pay $42.50
    </TillButton>
    <TillCheckout order="ord_1" onError={(event) => event.detail.code} />
    <till-button order="ord_1" size="large" onpaid={(event) => event.detail.status} class="wide" />
    <till-checkout order="ord_1" theme="dark" onerror={(event) => event.detail.code} />
  </>
)

export const Wrong = () => (
  <>
    {/* @ts-expect-error no such size */}
    <till-button order="ord_1" size="huge" />
    {/* @ts-expect-error Preact would drop the function if till.js has not come yet: the component sets it */}
    <till-button order={async () => 'ord_1'} />
    {/* @ts-expect-error `inline` is not a presentation of a button */}
    <till-button order="ord_1" present="inline" />
  </>
)
