import { cardDeclined } from './kinds/card-declined.ts'
import { late } from './kinds/late.ts'
import { overpay } from './kinds/overpay.ts'
import { priceMoved } from './kinds/price-moved.ts'
import { reorg } from './kinds/reorg.ts'
import { slowConfirmations } from './kinds/slow-confirmations.ts'
import { socketDrop } from './kinds/socket-drop.ts'
import { underpay } from './kinds/underpay.ts'
import { wrongChain } from './kinds/wrong-chain.ts'
import { wrongToken } from './kinds/wrong-token.ts'
import type { Scenario } from './scenario.ts'

/** The service, `npm run scenario`, the demo and the tests read this list. */
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
]

export const scenarioOf = (name: string): Scenario | undefined => scenarios.find((scenario) => scenario.name === name)

export const unknownScenario = (name: string): string =>
  `There is no scenario "${name}". There are: ${scenarios.map((scenario) => scenario.name).join(', ')}.`
