import { ExchangeNetwork, FromExchange } from '../methods/address/view/from-exchange.tsx'
import { WalletLinkList } from '../methods/address/view/wallet-link-list.tsx'
import { qrText } from '../methods/address/view/qr-text.ts'
import { cardPart } from '../methods/card-part.ts'
import { depositOf } from '../order/funding.ts'
import { headlineOf } from '../order/headline.ts'
import { newsOf } from '../order/news.ts'
import { encodeQr } from '../ui/qr-encode.ts'
import { languageMenu } from './language-menu.ts'
import { Confirming } from './confirming.tsx'
import { Done } from './done.tsx'
import { Expired } from './expired.tsx'
import { Failed } from './failed.tsx'
import { MethodsFailed } from './methods-failed.tsx'
import { newsText } from './news-text.ts'
import { Pick } from './pick.tsx'
import { CostNotes } from './pieces/fee-notes.tsx'
import { Misdirected } from './pieces/misdirected.tsx'
import { OpenInBrowser } from './pieces/open-in-browser.tsx'
import { OrderDetails } from './pieces/order-details.tsx'
import { RefusedWays } from './pieces/refused-ways.tsx'
import { AmountNotes, PayHints, PayNotes, strayHead } from './pieces/pay-notes.tsx'
import { PayTheRest, RestScreen, WithoutTheRest } from './pieces/pay-the-rest.tsx'
import type { Secondary, SecondaryStep } from './pieces/secondary-parts.ts'
import { RefundForm } from './pieces/refund-form.tsx'
import { TransferList } from './pieces/transfer-list.tsx'
import { Refunded } from './refunded.tsx'
import { titleOf } from './title.ts'
import { Unknown } from './unknown.tsx'

const Screen = ({ step }: { step: SecondaryStep }) => {
  switch (step.at) {
    case 'pick':
      return <Pick />
    case 'confirming':
      return <Confirming step={step} />
    case 'done':
      return <Done />
    case 'expired':
      return <Expired step={step} />
    case 'refunded':
      return <Refunded />
    case 'failed':
      return <Failed />
    case 'unknown':
      return <Unknown />
    default:
      return step satisfies never
  }
}

/** The entry leaves all this out to stay small, because most pages start by choosing a method or showing an address. */
export const secondary: Secondary = {
  Screen,
  MethodsFailed,
  RefusedWays,
  OpenInBrowser,
  OrderDetails,
  AmountNotes,
  strayHead,
  PayHints,
  PayNotes,
  ExchangeNetwork,
  FromExchange,
  WalletLinkList,
  Misdirected,
  PayTheRest,
  RestScreen,
  WithoutTheRest,
  RefundForm,
  TransferList,
  cardPart,
  encodeQr: (text) => encodeQr(qrText(text)),
  languageMenu,
  headlineOf,
  newsOf,
  newsText,
  titleOf,
  CostNotes,
  canReceive: async (order, text, chainId) =>
    (await import('../wire/addresses/can-receive.ts')).canReceive(chainId, text, depositOf(order)?.address),
}
