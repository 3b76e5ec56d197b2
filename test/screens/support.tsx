import { cleanup, render } from '@testing-library/preact'
import { afterEach, vi } from 'vitest'
import type { Client } from '../../src/api/client.ts'
import { App } from '../../src/app.tsx'
import { messages } from '../../src/i18n/locales/en.ts'
import { createWords, WordsContext } from '../../src/i18n/words.ts'
import { later } from '../../src/screens/later.tsx'
import { Pay } from '../../src/screens/pay.tsx'
import { Ways } from '../../src/screens/ways.tsx'
import { createCheckout } from '../../src/state/checkout.ts'
import { createChunk } from '../../src/state/chunk.ts'
import { createClock } from '../../src/state/clock.ts'
import { createLine } from '../../src/state/line.ts'
import { createRequests } from '../../src/state/requests.ts'
import { encodeQr } from '../../src/ui/qr-encode.ts'
import { QrContext } from '../../src/ui/qr.tsx'
import type { OrderBoot } from '../../src/wire/boot.ts'
import { parseChoice } from '../../src/wire/choice.ts'
import type { OrderRead } from '../../src/wire/order-read.ts'
import { paymentMethods, recordedNow } from '../support/orders.ts'

afterEach(cleanup)

/** The page of one order, with a service that answers what the test says. */
export function show(order: OrderRead, { query = '', client = {}, ...more }: Partial<OrderBoot> & { client?: Partial<Client> } = {}) {
  const boot: OrderBoot = {
    view: 'order',
    locale: 'en',
    now: recordedNow,
    path: '/pay/x',
    surface: 'page',
    query,
    order,
    methods: paymentMethods,
    ...more,
  }
  let device = recordedNow
  let tick = () => {}
  const clock = createClock(recordedNow, { device: () => device, every: (_, run) => ((tick = run), () => {}) })
  clock.start()
  const checkout = createCheckout(boot, parseChoice(new URLSearchParams(query)), {
    clock,
    requests: async (of) => createRequests(of, client as Client, () => clock.now.peek()),
    go: () => {},
  })
  const here = <T,>(part: T) => createChunk(async () => part, part)
  const page = {
    boot,
    checkout,
    clock,
    line: createLine(),
    parts: { ways: here(Ways), pay: here(Pay), later: here(later), wayOut: createChunk<never>(() => Promise.reject(new Error('no need'))) },
    leave: () => {},
    renew: vi.fn(),
  }
  const screen = render(
    <WordsContext.Provider value={createWords('en', messages)}>
      <QrContext.Provider value={encodeQr}>
        <App page={page} />
      </QrContext.Provider>
    </WordsContext.Provider>,
  )
  /** The service's clock goes on. */
  const pass = (ms: number) => {
    device += ms
    tick()
  }
  return { ...screen, page, pass }
}
