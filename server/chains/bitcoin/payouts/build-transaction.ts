import * as btc from '@scure/btc-signer'
import { dustOf } from '../dust.ts'
import { feeFor, virtualSize } from '../transaction-size.ts'

export interface Coin {
  readonly txid: string
  readonly vout: number
  readonly amount: bigint
}

/** A leg whose address has been read. */
export interface ScriptLeg {
  readonly script: Uint8Array
  readonly amount: bigint
  readonly paysNetwork: boolean
}

/** What one payout brings to a transaction: coins at its order's address, and who is paid from them. */
export interface Part {
  readonly payoutId: string
  readonly orderId: string
  /** The order's own address, which receives the change. */
  readonly script: Uint8Array
  readonly coins: readonly [Coin, ...Coin[]]
  readonly legs: readonly ScriptLeg[]
}

/** The parts bear the fee, and none bears more than its leg for the network and the dust that is left of its coins. */
export interface Share {
  readonly payoutId: string
  /** What this part pays for the transaction: first the dust that is left of its coins, and then its leg for the network. */
  readonly fee: bigint
}

export interface Built {
  readonly unsigned: btc.Transaction
  readonly orderIds: readonly string[]
  readonly fee: bigint
  readonly vsize: bigint
  readonly shares: readonly Share[]
}

export type CannotBuild =
  /** Even at the lowest rate the fee would exceed what is available for it. */
  | { readonly why: 'fee'; readonly needed: bigint; readonly available: bigint }
  | { readonly why: 'dust'; readonly payoutId: string; readonly amount: bigint }

interface Output {
  readonly script: Uint8Array
  amount: bigint
}

/** Any transaction of ours may be replaced by one with a higher fee (BIP 125). */
const replaceable = 0xfffffffd

export interface Rates {
  /** In satoshis for a thousand virtual bytes. */
  readonly wanted: bigint
  readonly least: bigint
}

/**
 * Builds one transaction for all parts. Equal addresses get one output. The network's fee comes out of the legs that pay it, whose receivers get the
 * rest, unless that is dust, which goes to the network too. So does a part's change if it is dust, and otherwise it returns to its address.
 */
export function buildTransaction(parts: readonly Part[], { wanted, least }: Rates, leastFee = 0n): Built | CannotBuild {
  const fixed = createOutputs()
  const budgets = parts.map((part) => addFixed(fixed, part))
  const tooSmall = dustIn(parts, fixed.all())
  if (tooSmall) return tooSmall
  const feeScripts = distinct(parts.flatMap(({ legs }) => legs.filter(({ paysNetwork }) => paysNetwork).map(({ script }) => script)))
  const scripts = [...fixed.all().map(({ script }) => script), ...feeScripts.filter((script) => !fixed.has(script))]
  const inputs = parts.reduce((count, { coins }) => count + coins.length, 0)
  const vsize = virtualSize(
    inputs,
    scripts.map(({ length }) => length),
  )
  const available = budgets.reduce((total, budget) => total + budget, 0n)
  const atLeast = larger(feeFor(vsize, least), leastFee)
  if (available < atLeast) return { why: 'fee', needed: atLeast, available }
  const shares = divided(parts, budgets, larger(feeFor(vsize, wanted), leastFee))
  return finished(parts, { fixed, budgets, shares, vsize })
}

/** Adds what a part pays whatever the fee is, and returns how much of its coins may go to the network. */
function addFixed(outputs: Outputs, { coins, legs, script }: Part): bigint {
  for (const leg of legs) if (!leg.paysNetwork) outputs.add(leg.script, leg.amount)
  const left = sumOf(coins) - sumOf(legs)
  const isDust = left < dustOf(script)
  if (!isDust) outputs.add(script, left)
  return sumOf(legs.filter(({ paysNetwork }) => paysNetwork)) + (isDust ? left : 0n)
}

function dustIn(parts: readonly Part[], outputs: readonly Output[]): CannotBuild | undefined {
  const output = outputs.find(({ script, amount }) => amount < dustOf(script))
  const part = output && parts.find(({ legs }) => legs.some(({ script }) => isSame(script, output.script)))
  return output && part && { why: 'dust', payoutId: part.payoutId, amount: output.amount }
}

/** Divides the fee by inputs. What a part cannot bear is borne by those that can, in their order. */
function divided(parts: readonly Part[], budgets: readonly bigint[], fee: bigint): bigint[] {
  const inputs = BigInt(parts.reduce((count, { coins }) => count + coins.length, 0))
  const shares = parts.map(({ coins }, i) => smaller((fee * BigInt(coins.length)) / inputs, budgets[i] ?? 0n))
  let missing = fee - shares.reduce((total, share) => total + share, 0n)
  for (const [i, budget] of budgets.entries()) {
    const more = smaller(missing, budget - (shares[i] ?? 0n))
    shares[i] = (shares[i] ?? 0n) + more
    missing -= more
  }
  return shares
}

interface Plan {
  readonly fixed: Outputs
  readonly budgets: readonly bigint[]
  readonly shares: readonly bigint[]
  readonly vsize: bigint
}

function finished(parts: readonly Part[], { fixed, budgets, shares, vsize }: Plan): Built {
  const left = createOutputs()
  for (const [i, { legs }] of parts.entries()) {
    const leg = legs.find(({ paysNetwork }) => paysNetwork)
    if (leg) left.add(leg.script, (budgets[i] ?? 0n) - (shares[i] ?? 0n))
  }
  const isDropped = ({ script }: ScriptLeg) => !fixed.has(script) && left.amountOf(script) < dustOf(script)
  for (const { script, amount } of left.all()) if (fixed.has(script) || amount >= dustOf(script)) fixed.add(script, amount)
  const unsigned = new btc.Transaction()
  for (const { coins, script } of parts)
    for (const { txid, vout, amount } of coins)
      unsigned.addInput({ txid, index: vout, sequence: replaceable, witnessUtxo: { script, amount } })
  for (const { script, amount } of fixed.all()) unsigned.addOutput({ script, amount })
  const borne = parts.map(({ payoutId, legs }, i): Share => {
    const leg = legs.find(({ paysNetwork }) => paysNetwork)
    const budget = budgets[i] ?? 0n
    return { payoutId, fee: leg === undefined || isDropped(leg) ? budget : (shares[i] ?? 0n) }
  })
  return {
    unsigned,
    orderIds: parts.flatMap(({ coins, orderId }) => coins.map(() => orderId)),
    fee: borne.reduce((total, { fee }) => total + fee, 0n),
    vsize,
    shares: borne,
  }
}

type Outputs = ReturnType<typeof createOutputs>

/** Collects outputs by their script, in the order in which they were added. */
function createOutputs() {
  const outputs = new Map<string, Output>()
  const keyOf = (script: Uint8Array) => Buffer.from(script).toString('hex')
  return {
    add(script: Uint8Array, amount: bigint): void {
      const known = outputs.get(keyOf(script))
      if (known) known.amount += amount
      else if (amount > 0n) outputs.set(keyOf(script), { script, amount })
    },
    has: (script: Uint8Array): boolean => outputs.has(keyOf(script)),
    amountOf: (script: Uint8Array): bigint => outputs.get(keyOf(script))?.amount ?? 0n,
    all: (): readonly Output[] => [...outputs.values()],
  }
}

const isSame = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0
const distinct = (scripts: readonly Uint8Array[]): readonly Uint8Array[] =>
  scripts.filter((script, i) => scripts.findIndex((other) => isSame(other, script)) === i)
const sumOf = (items: readonly { readonly amount: bigint }[]): bigint => items.reduce((total, { amount }) => total + amount, 0n)
const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b)
const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)
