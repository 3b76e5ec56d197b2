import * as fc from 'fast-check'
import type { Caps } from './model-chain.ts'

/** What strangers did is mined with everything else, or is final and reported at once, or is then undone as well. */
type AfterMove = 'mined' | 'reported' | 'undone'

/** The possible steps. `who` selects the order; chains and clocks are shared. */
export type Step =
  | { readonly do: 'pay'; readonly who: number; readonly amount: number; readonly asset: number; readonly isSilent: boolean }
  | { readonly do: 'mine'; readonly shift: number; readonly most: number }
  | { readonly do: 'reorg'; readonly depth: number; readonly isLost: boolean }
  /** The chains and the service run for a while without interference. */
  | { readonly do: 'turn' }
  | { readonly do: 'look'; readonly isDropFirst: boolean; readonly isTwice: boolean }
  | { readonly do: 'sweep'; readonly isEager: boolean }
  | { readonly do: 'send'; readonly isRefused: boolean }
  | { readonly do: 'report' }
  | { readonly do: 'wait'; readonly minutes: number }
  | { readonly do: 'tick' }
  | {
      readonly do: 'choose'
      readonly who: number
      readonly asset: number
      readonly address: number
      readonly isSigned: boolean
      readonly slippage: number
    }
  | { readonly do: 'give address'; readonly who: number; readonly address: number; readonly isSigned: boolean }
  | { readonly do: 'extend'; readonly who: number }
  | { readonly do: 'accept'; readonly who: number }
  | { readonly do: 'authorize'; readonly who: number; readonly isGood: boolean }
  | { readonly do: 'refund'; readonly who: number; readonly percent: number; readonly asset: number }
  | { readonly do: 'merchant'; readonly who: number; readonly isPaid: boolean }
  | { readonly do: 'refuse'; readonly whom: number }
  /** Somebody with an operator's key settles a part, possibly of a payment that nobody has seen yet. */
  | {
      readonly do: 'steal'
      readonly who: number
      readonly place: number
      readonly percent: number
      readonly feePercent: number
      readonly payment: number
      readonly after: AfterMove
    }
  /** Once its time has come, somebody releases what is at an address. */
  | { readonly do: 'release'; readonly who: number; readonly asset: number; readonly after: AfterMove }
  /** Somebody with an operator's key sends what the guard has signed for us. */
  | { readonly do: 'use'; readonly who: number; readonly after: AfterMove }
  /** What strangers did is read from the chains. */
  | { readonly do: 'strangers'; readonly isLostFirst: boolean }
  | { readonly do: 'guard'; readonly isSigning: boolean }
  /** The conversion price changes or becomes unknown. */
  | { readonly do: 'price'; readonly price: number; readonly isKnown: boolean }
  /** A crash loses everything in memory, possibly while scanning or sending. */
  | { readonly do: 'crash'; readonly during: 'look' | 'sign' | 'broadcast' | 'nothing'; readonly after: number }

const amounts = fc.oneof(
  fc.constantFrom(1000, 1000, 500, 500, 370, 630, 999, 1001, 1002, 1003, 1006, 1011, 1500, 1, 20, 49),
  fc.integer({ min: 1, max: 2500 }),
)
const who = fc.nat({ max: 2 })
const afterMove = fc.constantFrom<AfterMove[]>('mined', 'reported', 'undone')

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('pay' as const),
      who,
      amount: amounts,
      asset: fc.constantFrom(0, 0, 0, 0, 1, 2, 2, 3),
      isSilent: fc.constantFrom(false, false, true),
    }),
  },
  {
    weight: 7,
    arbitrary: fc.record({ do: fc.constant('mine' as const), shift: fc.constantFrom(0, 0, 0, 1), most: fc.constantFrom(0, 1, 9, 9) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('reorg' as const), depth: fc.integer({ min: 1, max: 5 }), isLost: fc.boolean() }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('turn' as const) }) },
  { weight: 9, arbitrary: fc.record({ do: fc.constant('look' as const), isDropFirst: fc.boolean(), isTwice: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('sweep' as const), isEager: fc.boolean() }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('send' as const), isRefused: fc.constantFrom(false, false, false, true) }) },
  { weight: 7, arbitrary: fc.record({ do: fc.constant('report' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('wait' as const), minutes: fc.constantFrom(1, 10, 26, 31, 24 * 60, 9 * 24 * 60, 31 * 24 * 60) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('tick' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('choose' as const),
      who,
      asset: fc.constantFrom(0, 0, 0, 1, 2),
      address: fc.constantFrom(0, 1, 1, 2),
      isSigned: fc.boolean(),
      slippage: fc.constantFrom(100, 100, 50),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('give address' as const), who, address: fc.constantFrom(0, 1), isSigned: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('extend' as const), who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('accept' as const), who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('authorize' as const), who, isGood: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('refund' as const),
      who,
      percent: fc.constantFrom(100, 100, 100, 50, 30),
      asset: fc.constantFrom(0, 0, 1, 2, 3),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('merchant' as const), who, isPaid: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('refuse' as const), whom: fc.integer({ min: 0, max: 5 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('price' as const),
      price: fc.constantFrom(800, 985, 1000, 1000, 1020, 1300),
      isKnown: fc.constantFrom(true, true, true, false),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('steal' as const),
      who,
      place: fc.nat({ max: 1 }),
      percent: fc.constantFrom(100, 100, 50, 10, 1),
      feePercent: fc.constantFrom(0, 50, 100),
      payment: fc.constantFrom(0, 0, 400, 1000, 1100),
      after: afterMove,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('release' as const), who, asset: fc.nat({ max: 3 }), after: afterMove }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('use' as const), who, after: afterMove }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('strangers' as const), isLostFirst: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('guard' as const), isSigning: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('crash' as const),
      during: fc.constantFrom('look' as const, 'sign' as const, 'broadcast' as const, 'nothing' as const),
      after: fc.nat({ max: 2 }),
    }),
  },
)

export interface Setting {
  readonly orders: number
  readonly isNative: boolean
  /** The order is paid in another currency than it settles in. */
  readonly isConverting: boolean
  /** Whether the order may settle on another chain as well, at a price that moves or does not. */
  readonly second: 'none' | 'fixed' | 'moves'
  readonly needed: number
  readonly toleranceBps: number
  readonly caps: Caps
  readonly hasGuard: boolean
  readonly refundGas: number
  readonly leastLeg: number
}

export const setting: fc.Arbitrary<Setting> = fc.record({
  orders: fc.integer({ min: 1, max: 3 }),
  isNative: fc.boolean(),
  isConverting: fc.boolean(),
  second: fc.constantFrom('none' as const, 'fixed' as const, 'moves' as const),
  needed: fc.integer({ min: 1, max: 6 }),
  toleranceBps: fc.constantFrom(0, 0, 10, 5000, 10_000),
  caps: fc.constantFrom(
    { bps: 100n, flat: 2n },
    { bps: 100n, flat: 2n },
    { bps: 0n, flat: 4n },
    { bps: 50n, flat: 0n },
    { bps: 10_000n, flat: 0n },
  ),
  hasGuard: fc.constantFrom(true, true, true, false),
  refundGas: fc.constantFrom(0, 5),
  leastLeg: fc.constantFrom(1, 1, 4, 8),
})

export const steps = (maxLength: number): fc.Arbitrary<Step[]> => fc.array(step, { minLength: 3, maxLength, size: 'max' })
