import { TillButton, TillCheckout } from '@till-pay/checkout/react'
import { StrictMode, useEffect, useRef, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { receive, load, newOrder } from '../shop.js'

const Shop = () => {
  const [renders, setRenders] = useState(1)
  const [open, setOpen] = useState(true)
  const button = useRef(null)
  useEffect(() => void load(), [])
  return (
    <>
      <button onClick={() => setRenders(renders + 1)}>Render again</button>
      <button onClick={() => setOpen(false)}>Leave</button>
      <p>Rendered {renders}</p>
      {open && (
        <>
          <TillButton ref={button} order={newOrder()} size="large" className="wide" onReady={receive('button')}>
            Pay now
          </TillButton>
          <TillCheckout order={newOrder()} theme="light" onReady={receive('checkout')} />
        </>
      )}
    </>
  )
}

createRoot(document.querySelector('#app')).render(
  <StrictMode>
    <Shop />
  </StrictMode>,
)
