import type { ComponentType } from 'preact'
import type { AllWords, Words } from '../../i18n/words.ts'
import type { PaymentTarget } from '../../methods/address/view/payment-uri.ts'
import type { SecondaryParts as MethodParts } from '../../methods/methods.ts'
import type { CostNotes } from '../../methods/part.ts'
import type { CheckoutPorts } from '../../model/checkout.ts'
import type { Page } from '../../model/page.ts'
import type { Funding } from '../../order/funding.ts'
import type { Headline } from '../../order/headline.ts'
import type { News } from '../../order/news.ts'
import type { Step } from '../../order/step.ts'
import type { Fiat } from '../../wire/fiat.ts'
import type { HeadProps } from '../../ui/head.tsx'
import type { Funds } from '../../wire/funds.ts'
import type { OrderRead } from '../../wire/order-read.ts'
import type { PayTheRestProps, RestScreenProps } from './pay-the-rest.tsx'
import type { RefundFormProps } from './refund-address.tsx'

/** Most pages do not start with one of these steps. */
export type SecondaryStep = Exclude<Step, { at: 'choose' | 'pay' | 'method' }>

export interface Secondary extends MethodParts {
  readonly Screen: ComponentType<{ step: SecondaryStep }>
  readonly MethodsFailed: ComponentType
  readonly RefusedWays: ComponentType
  readonly OpenInBrowser: ComponentType
  readonly OrderDetails: ComponentType<{ step: Step; alone: Fiat | undefined }>
  readonly AmountNotes: ComponentType<{ due: Funds }>
  readonly strayHead: (words: Words, order: OrderRead) => HeadProps | undefined
  readonly PayHints: ComponentType<{ step: Extract<Step, { at: 'pay' }> }>
  readonly PayNotes: ComponentType<{ step: Extract<Step, { at: 'pay' }> }>
  readonly ExchangeNetwork: ComponentType<{ due: Funds }>
  readonly FromExchange: ComponentType<{ due: Funds }>
  readonly WalletLinkList: ComponentType<PaymentTarget>
  readonly RefundForm: ComponentType<RefundFormProps>
  /** Shows money that arrived but does not pay the order, on every screen that could lead to sending more. */
  readonly Misdirected: ComponentType<{ due?: Funds }>
  readonly PayTheRest: ComponentType<PayTheRestProps>
  readonly RestScreen: ComponentType<RestScreenProps>
  readonly WithoutTheRest: ComponentType<{ funding: Funding }>
  readonly TransferList: ComponentType<{ title: string }>
  readonly encodeQr: (text: string) => { size: number; image: string }
  readonly languageMenu: {
    readonly follow: (page: Page) => void
    readonly keydown: (event: KeyboardEvent) => void
    readonly toggle: () => void
  }
  readonly headlineOf: (order: OrderRead, step: Step) => Headline | undefined
  readonly newsOf: (before: OrderRead, after: OrderRead) => News | undefined
  readonly titleOf: (words: AllWords, page: Page) => string
  readonly newsText: (words: AllWords, news: News) => string
  readonly CostNotes: CostNotes
  readonly canReceive: CheckoutPorts['canReceive']
}
