import { TillButton, TillCheckout } from '@till-pay/checkout/react'
import { createElement, Fragment, useState } from 'react'
import { receive, newOrder } from '../shop.js'

/** Written without JSX, so that Node renders what the browser hydrates. */
export const Shop = () => {
  const [renders, setRenders] = useState(1)
  const [open, setOpen] = useState(true)
  return createElement(
    Fragment,
    null,
    createElement('button', { onClick: () => setRenders(renders + 1) }, 'Render again'),
    createElement('button', { onClick: () => setOpen(false) }, 'Leave'),
    createElement('p', null, `Rendered ${renders}`),
    open &&
      createElement(
        Fragment,
        null,
        createElement(TillButton, { order: newOrder(), size: 'large', className: 'wide', onReady: receive('button') }, 'Pay now'),
        createElement(TillCheckout, { order: newOrder(), theme: 'light', onReady: receive('checkout') }),
      ),
  )
}
