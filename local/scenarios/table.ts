import { cardDeclined } from './kinds/card-declined.ts'
import { late } from './kinds/late.ts'
import { payBitcoin, paySolana } from './kinds/pay-elsewhere.ts'
import { priceKept } from './kinds/price-kept.ts'
import { priceMoved } from './kinds/price-moved.ts'
import { replaced, takenBack } from './kinds/replaced.ts'
import { reorg } from './kinds/reorg.ts'
import { slowConfirmations } from './kinds/slow-confirmations.ts'
import { socketDrop } from './kinds/socket-drop.ts'
import { overpay, underpay } from './kinds/wrong-amount.ts'
import { wrongChain, wrongToken } from './kinds/wrong-currency.ts'
import { steal } from './kinds/steal.ts'
import type { Scenario } from './scenario.ts'

export const scenarios: readonly Scenario[] = [
  underpay,
  overpay,
  late,
  reorg,
  wrongChain,
  wrongToken,
  socketDrop,
  slowConfirmations,
  cardDeclined,
  priceMoved,
  steal,
  payBitcoin,
  paySolana,
  replaced,
  takenBack,
  priceKept,
]

export const scenarioOf = (name: string): Scenario | undefined => scenarios.find((scenario) => scenario.name === name)
