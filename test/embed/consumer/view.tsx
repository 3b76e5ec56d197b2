import '@till-pay/checkout/preact'

/** @jsxImportSource preact */
export const View = () => (
  <>
    <till-button order={async () => 'ord_1'} size="large" present="popup" onpaid={(event) => event.detail.status} class="wide">
      Pay $42.50
    </till-button>
    <till-checkout order="ord_1" theme="dark" onerror={(event) => event.detail.code} />
  </>
)

export const Wrong = () => (
  <>
    {/* @ts-expect-error no such size */}
    <till-button order="ord_1" size="huge" />
    {/* @ts-expect-error `inline` is not a presentation of a button */}
    <till-button order="ord_1" present="inline" />
  </>
)
