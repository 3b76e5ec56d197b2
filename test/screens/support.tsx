import { cleanup, render } from '@testing-library/preact'
import { afterEach } from 'vitest'
import type { Client } from '../../src/api/client.ts'
import { App } from '../../src/app.tsx'
import { catalogue } from '../../src/i18n/catalogue.ts'
import { createWords, WordsContext } from '../../src/i18n/words.ts'
import { canReceive } from '../../src/wire/addresses/can-receive.ts'
import { createCheckout } from '../../src/model/checkout.ts'
import { createClock } from '../../src/model/clock.ts'
import { createConnection } from '../../src/model/connection.ts'
import { createLazyModule } from '../../src/model/lazy-module.ts'
import { createService } from '../../src/model/service.ts'
import { depositOf } from '../../src/order/funding.ts'
import { newsOf } from '../../src/order/news.ts'
import { secondary } from '../../src/screens/secondary.tsx'
import type { Secondary } from '../../src/screens/pieces/secondary-parts.ts'
import { encodeQr } from '../../src/ui/qr-encode.ts'
import { QrContext } from '../../src/ui/qr.tsx'
import type { OrderBoot } from '../../src/wire/boot.ts'
import { parseChoice } from '../../src/wire/choice.ts'
import type { OrderRead } from '../../src/wire/order-read.ts'
import { paymentMethods, recordedNow } from '../support/orders/orders.ts'

afterEach(cleanup)

interface ShowOptions extends Partial<OrderBoot> {
  readonly client?: Partial<Client>
  /** Loads the secondary screens lazily instead of including them. */
  readonly secondary?: () => Promise<Secondary>
}

/** Renders the page of one order with a stubbed client. */
export function show(order: OrderRead, { query = '', client = {}, secondary: fetchSecondary, ...more }: ShowOptions = {}) {
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
    service: Promise.resolve(createService(client as Client)),
    canReceive: async (order, text, chainId) => canReceive(chainId, text, depositOf(order)?.address),
    newsOf,
    navigate: () => {},
  })
  const page = {
    boot,
    checkout,
    clock,
    connection: createConnection(),
    secondary: fetchSecondary ? createLazyModule(fetchSecondary) : createLazyModule(async () => secondary, secondary),
    leave: () => {},
  }
  const screen = render(
    <WordsContext.Provider value={createWords('en', catalogue.en)}>
      <QrContext.Provider value={encodeQr}>
        <App page={page} />
      </QrContext.Provider>
    </WordsContext.Provider>,
  )
  /** Advances the service's clock. */
  const pass = (ms: number) => {
    device += ms
    tick()
  }
  return { ...screen, page, pass }
}
