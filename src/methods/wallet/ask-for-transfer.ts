import { nativeAddress } from '../../wire/chain-facts.ts'
import { type AskedTransfer, forgetTransfer, keepTransfer, storedTransfer } from './asked-transfer.ts'
import type { Earlier } from './earlier-transfer.ts'
import type { Plan } from './pay-by-transfer.ts'
import { type Provider, refusalOf } from './provider.ts'
import { isRecord, isText } from './read-funds.ts'
import { hexOf, nonceOf, takesBatches, transferCall } from './reads.ts'

/**
 * Asks a wallet for a transfer, once for an order whatever happens.
 *
 * 1. What it is asked for is stored before (asked-transfer.ts).
 * 2. A wallet that takes batches (EIP-5792) is asked for a batch of one call with an id of ours. It sends no second one with the same id, and says
 *    later what became of it.
 * 3. Any other is asked for a transaction with the account's next nonce. If the payer says that a request is gone, the next one has its nonce as long as no
 *    block has a transaction with it, so the network takes only one of them. A wallet that numbers by itself does not promise that.
 * 4. While a transaction with that nonce waits for a block, nothing is asked. Once a block has one, or where the next request cannot replace the
 *    one before it, the service and the wallet's node are asked first whether the order has been paid (earlier-transfer.ts).
 */
export interface OpenTransfer {
  readonly plan: Plan
  /** Nothing was asked for if an earlier request has paid, or may have. */
  readonly sent: Promise<AskedTransfer | Exclude<Earlier, 'gone'>>
}

/** A wallet may still show these requests, by order. They cannot be withdrawn, so a second tap awaits the first request. */
const open = new Map<string, OpenTransfer>()

export const openTransfer = (orderId: string): OpenTransfer | undefined => open.get(orderId)

export const startTransfer = (orderId: string, plan: Plan, earlierOf: EarlierOf): OpenTransfer => {
  const started = { plan, sent: ask(orderId, plan, earlierOf) }
  open.set(orderId, started)
  const done = () => open.delete(orderId)
  started.sent.then(done, done)
  return started
}

/** A token is transferred by a call of its contract, and the native coin by a call without data. */
export const callOf = ({ connection: { from }, rest: { to, due } }: Plan) => {
  const token = due.currency.address
  return token && token !== nativeAddress
    ? transferCall(token, from, to, due.raw)
    : { from, to, data: '0x', value: `0x${due.raw.toString(16)}` }
}

const ask = async (orderId: string, plan: Plan, earlierOf: EarlierOf): OpenTransfer['sent'] => {
  const { provider } = plan.wallet
  const before = storedTransfer(orderId)
  const { asked, replaces } = await requestOf(plan, before)
  if (before && replaces !== 'surely') {
    const earlier = replaces === 'too late' ? 'unknown' : await earlierOf(before)
    if (earlier === 'unknown') keepTransfer(orderId, { ...before, state: 'asked' })
    if (earlier !== 'gone') return earlier
  }
  keepTransfer(orderId, asked)
  try {
    const sent: AskedTransfer = {
      ...asked,
      state: 'sent',
      ...(asked.batch ? await sendBatch(provider, plan, asked.batch) : await send(provider, plan, asked.nonce)),
    }
    // It is stored even if the payer has left, because the transfer may still be confirmed in the wallet.
    keepTransfer(orderId, sent)
    return sent
  } catch (error) {
    const refusal = refusalOf(error)
    // After any other error the wallet may still ask, or have sent it.
    if (isDeclined.has(refusal)) {
      if (before) keepTransfer(orderId, refusal === 'busy' ? { ...before, state: 'asked' } : before)
      else forgetTransfer(orderId)
    }
    throw error
  }
}

const isDeclined: ReadonlySet<string> = new Set(['rejected', 'busy', 'locked', 'network'])

const requestOf = async (
  { wallet: { name, provider }, connection: { from }, rest: { due } }: Plan,
  before: AskedTransfer | undefined,
): Promise<{ asked: AskedTransfer; replaces: 'surely' | 'too late' | 'perhaps' }> => {
  const chainId = due.currency.chain_id
  const [isBatch, mined, next] = await Promise.all([
    takesBatches(provider, from, chainId),
    nonceOf(provider, from, 'latest'),
    nonceOf(provider, from, 'pending'),
  ])
  const withdrawn = before?.state === 'withdrawn' && before.from === from && before.due.currency.chain_id === chainId ? before : undefined
  const isOpen = withdrawn !== undefined && Number(withdrawn.nonce) >= Number(mined)
  const nonce = isOpen ? withdrawn.nonce : next
  const batch = isBatch ? (withdrawn?.batch ?? randomId()) : undefined
  const asked: AskedTransfer = { wallet: name, from, due, nonce, batch, state: 'asked' }
  if (batch !== undefined && batch === withdrawn?.batch) return { asked, replaces: 'surely' }
  if (!isOpen || batch !== undefined || withdrawn.batch !== undefined) return { asked, replaces: 'perhaps' }
  return { asked, replaces: Number(next) > Number(nonce) ? 'too late' : 'surely' }
}

type EarlierOf = (before: AskedTransfer) => Promise<Earlier>

type Sent = Pick<AskedTransfer, 'hash' | 'batch'>

const send = async (provider: Provider, plan: Plan, nonce: string | undefined): Promise<Sent> => {
  const transaction = { ...callOf(plan), chainId: hexOf(plan.rest.due.currency.chain_id), ...(nonce && { nonce }) }
  const hash = await provider.request({ method: 'eth_sendTransaction', params: [transaction] })
  if (!isText(hash) || !/^0x[0-9a-fA-F]{64}$/.test(hash)) throw new Error('the wallet returned no transaction hash')
  return { hash }
}

/** The wallet has been given a batch with this id before. */
const duplicateId = 5720

const sendBatch = async (provider: Provider, plan: Plan, id: string): Promise<Sent> => {
  const { from, ...call } = callOf(plan)
  const batch = { version: '2.0.0', id, from, chainId: hexOf(plan.rest.due.currency.chain_id), atomicRequired: false, calls: [call] }
  try {
    const answer = await provider.request({ method: 'wallet_sendCalls', params: [batch] })
    // Wallets of the first version choose the id by themselves.
    const given = isRecord(answer) ? answer.id : answer
    return isText(given) ? { batch: given } : {}
  } catch (error) {
    if (isRecord(error) && error.code === duplicateId) return {}
    throw error
  }
}

const randomId = (): string =>
  `0x${Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) => byte.toString(16).padStart(2, '0')).join('')}`

/** Returns the hash once the transaction is in a block, or 'failed' if the network has refused it. A wallet on another device never knows. */
export const outcomeOf = async (provider: Provider, { hash, batch }: AskedTransfer): Promise<string | undefined> => {
  const answer = await provider.request(
    batch ? { method: 'wallet_getCallsStatus', params: [batch] } : { method: 'eth_getTransactionReceipt', params: [hash] },
  )
  if (!isRecord(answer)) return undefined
  // A batch has a number that begins at 400 where it has failed, and a transaction 0 or 1.
  if (answer.status === '0x0' || Number(answer.status) >= 400) return 'failed'
  const [receipt] = Array.isArray(answer.receipts) ? (answer.receipts as unknown[]) : [answer]
  return isRecord(receipt) && isText(receipt.transactionHash) ? receipt.transactionHash : undefined
}
