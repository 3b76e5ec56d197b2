import { createSignal, onMount, Show } from 'solid-js'
import { render } from 'solid-js/web'
import { receive, load, newOrder } from '../shop.js'

const Shop = () => {
  const [renders, setRenders] = createSignal(1)
  const [open, setOpen] = createSignal(true)
  const order = () => renders() && newOrder()
  onMount(() => void load())
  return (
    <>
      <button onClick={() => setRenders(renders() + 1)}>Render again</button>
      <button onClick={() => setOpen(false)}>Leave</button>
      <p>Rendered {renders()}</p>
      <Show when={open()}>
        <till-button prop:order={order()} size="large" class="wide" on:ready={receive('button')}>
          Pay now
        </till-button>
        <till-checkout prop:order={order()} theme="light" on:ready={receive('checkout')} />
      </Show>
    </>
  )
}

render(() => <Shop />, document.querySelector('#app'))
