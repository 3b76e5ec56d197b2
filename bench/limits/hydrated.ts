import { signal } from '@preact/signals'
import { Fragment, h } from 'preact'

const copied = signal(false)

/** The plainest page that Preact hydrates: an amount, an address, and a button that copies it. */
export const hydrated = (address: string) =>
  h(Fragment, null, h('h1', null, '10.00 USDC'), h('p', null, address), h(CopyButton, { address }))

function CopyButton({ address }: { readonly address: string }) {
  const onClick = async () => {
    await navigator.clipboard.writeText(address)
    copied.value = true
  }
  return h('button', { type: 'button', class: 'b', id: 'pay', onClick }, copied.value ? 'Copied' : 'Copy address')
}
