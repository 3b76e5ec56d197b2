import { medianTime, type Block, type Chain, type Coin } from '../chain.ts'
import { encodeHeader, regtestBits, regtestTarget, transactionCount, transactionsOf } from '../block.ts'
import { toHex } from '../bytes.ts'
import { descriptorOf } from '../descriptor.ts'
import { addressOf, disassemble, typeOf } from '../script.ts'
import { isCoinbase, type Input, type Transaction } from '../transaction.ts'

/** This and every other description has the shape in which a real node answers. */
export function describeScript(script: Uint8Array): object {
  return {
    asm: disassemble(script),
    desc: descriptorOf(script),
    hex: toHex(script),
    address: addressOf(script),
    type: typeOf(script),
  }
}

/** With the coins that it spends, its fee is known, and with `withCoins` they are shown. */
export function describeTransaction(transaction: Transaction, coins?: readonly Coin[], withCoins = false): object {
  const { txid, wtxid, version, size, vsize, weight, lockTime, inputs, outputs, raw } = transaction
  const fee = coins && sum(coins) - sum(outputs)
  return {
    txid,
    hash: wtxid,
    version,
    size,
    vsize,
    weight,
    locktime: lockTime,
    vin: inputs.map((input, index) =>
      isCoinbase(transaction) ? describeCoinbase(input) : describeInput(input, withCoins ? coins?.[index] : undefined),
    ),
    vout: outputs.map(({ amount, script }, n) => ({ value: amount, n, scriptPubKey: describeScript(script) })),
    fee,
    hex: toHex(raw),
  }
}

const sum = (amounts: readonly { readonly amount: bigint }[]) => amounts.reduce((total, { amount }) => total + amount, 0n)

function describeCoinbase({ scriptSig, witness, sequence }: Input): object {
  return { coinbase: toHex(scriptSig), txinwitness: witnessOf(witness), sequence }
}

function describeInput({ txid, index, scriptSig, witness, sequence }: Input, coin: Coin | undefined): object {
  return {
    txid,
    vout: index,
    scriptSig: { asm: disassemble(scriptSig), hex: toHex(scriptSig) },
    txinwitness: witnessOf(witness),
    prevout: coin && { generated: coin.isCoinbase, height: coin.height, value: coin.amount, scriptPubKey: describeScript(coin.script) },
    sequence,
  }
}

const witnessOf = (witness: readonly Uint8Array[]) => (witness.length > 0 ? witness.map(toHex) : undefined)

/** On regtest every block is as hard as the easiest of the main chain, divided by this. */
const difficulty = 4.656542373906925e-10

/** Each block of regtest is worth two hashes. */
export const workOf = ({ height }: Block): string => (2 * (height + 1)).toString(16).padStart(64, '0')

export const hardness = { bits: regtestBits.toString(16), target: regtestTarget, difficulty }

export function describeHeader(chain: Chain, block: Block): object {
  const { hash, height, header, raw, parent } = block
  const isActive = chain.isActive(block)
  return {
    hash,
    confirmations: isActive ? chain.tip().height - height + 1 : -1,
    height,
    version: header.version,
    versionHex: header.version.toString(16).padStart(8, '0'),
    merkleroot: header.merkleRoot,
    time: header.time,
    mediantime: medianTime(block),
    nonce: header.nonce,
    ...hardness,
    chainwork: workOf(block),
    nTx: transactionCount(raw),
    previousblockhash: parent?.hash,
    nextblockhash: isActive ? chain.at(height + 1)?.hash : undefined,
  }
}

/** Details: 1 lists the hashes of its transactions, 2 describes them, 3 also what they spend. */
export function describeBlock(chain: Chain, block: Block, details: number): object {
  const transactions = transactionsOf(block.raw)
  const witnessBytes = transactions.reduce((total, { size, strippedSize }) => total + size - strippedSize, 0)
  const strippedSize = block.raw.length - witnessBytes
  return {
    ...describeHeader(chain, block),
    strippedsize: strippedSize,
    size: block.raw.length,
    weight: strippedSize * 3 + block.raw.length,
    tx: details === 1 ? transactions.map(({ txid }) => txid) : describeAll(block, transactions, details > 2),
  }
}

function describeAll(block: Block, transactions: readonly Transaction[], withCoins: boolean): object[] {
  const coinsOf = spentBy(block, transactions)
  return transactions.map((transaction) => describeTransaction(transaction, coinsOf(transaction), withCoins))
}

/** Finds the coins that each of a block's transactions spent. A block that was never connected has none. */
export function spentBy(block: Block, transactions: readonly Transaction[]): (transaction: Transaction) => readonly Coin[] | undefined {
  const coins = new Map<Transaction, readonly Coin[]>()
  let at = 0
  for (const transaction of transactions) {
    if (isCoinbase(transaction)) continue
    const spent = block.spent.slice(at, at + transaction.inputs.length)
    if (spent.length === transaction.inputs.length) coins.set(transaction, spent)
    at += transaction.inputs.length
  }
  return (transaction) => coins.get(transaction)
}

export const rawHeader = ({ header }: Block): string => toHex(encodeHeader(header))
