import * as Dialog from '@radix-ui/react-dialog'
import { TillButton } from '@till-pay/checkout/react'
import { createRoot } from 'react-dom/client'
import { load, newOrder } from '../shop.js'

/** While it is open, the body takes no clicks, what is outside is hidden from readers, and the focus is kept inside. */
function Shop() {
  return (
    <Dialog.Root defaultOpen>
      <Dialog.Portal>
        <Dialog.Overlay />
        <Dialog.Content style={{ position: 'fixed', top: 0 }}>
          <Dialog.Title>Your cart</Dialog.Title>
          <Dialog.Description>A bag of coffee</Dialog.Description>
          <TillButton order={newOrder()}>Pay now</TillButton>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

createRoot(document.querySelector('#app')).render(<Shop />)
void load()
