import { decodeFunctionResult, encodeFunctionData, type Hex, parseAbi } from 'viem'
import * as z from 'zod'
import { finalBlock } from '../../blocks/final-block.ts'
import type { EvmNode } from '../evm-node.ts'
import { ethCall, headerCall, receiptCall, type Header, numberToHex, requireHead } from '../rpc-calls.ts'
import { requireValue, type RpcCall } from '../rpc.ts'
import { transferTopic } from '../transfers.ts'
import type { SignedTransfer, TransferStatus } from '../../x402.ts'

const abi = parseAbi(['function authorizationState(address authorizer, bytes32 nonce) view returns (bool)'])
/** keccak256("AuthorizationUsed(address,bytes32)") */
const usedTopic = '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5'
/** keccak256("AuthorizationCanceled(address,bytes32)") */
const canceledTopic = '0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81'

/** At most this many ranges of logs are read, which bounds the cost of one lookup. */
const maxReads = 24

type Signed = Pick<SignedTransfer, 'asset' | 'payer' | 'nonce' | 'payTo' | 'value' | 'validBefore'>

export async function transferStatus(chain: EvmNode, signed: Signed, since: number, signal: AbortSignal): Promise<TransferStatus> {
  const [header] = await chain.rpc.read(signal, headerCall('latest'))
  const head = requireHead(chain.id, header)
  if (!(await isSpent(chain, signed, head.number, signal)))
    return (await isExpired(chain, signed, head, signal)) ? { at: 'dead' } : { at: 'open' }
  const found = await eventsOf(chain, signed, head, since, signal)
  for (const { topics, transactionHash } of found) {
    if (topics[0] === usedTopic && (await paidIn(chain, signed, transactionHash, signal))) return { at: 'paid', txHash: transactionHash }
  }
  // The nonce was cancelled or used for another transfer, which is certain once that block is final. Without an event nothing is known.
  const final = finalBlock(chain, head.number)
  return found.some(({ blockNumber }) => blockNumber <= final) ? { at: 'dead' } : { at: 'open' }
}

async function isSpent(chain: EvmNode, { asset, payer, nonce }: Signed, block: number, signal: AbortSignal): Promise<boolean> {
  const data = encodeFunctionData({ abi, args: [payer as Hex, nonce as Hex] })
  const [answer] = await chain.rpc.attempt(signal, ethCall({ to: asset, data }, block))
  return decodeFunctionResult({ abi, data: requireValue(chain.id, answer) })
}

/** An authorisation that is unused at a final block after `validBefore` has expired for good: the token refuses it from then on. */
async function isExpired(chain: EvmNode, signed: Signed, head: Header, signal: AbortSignal): Promise<boolean> {
  const { validBefore } = signed
  const number = finalBlock(chain, head.number)
  if (validBefore === undefined || number < 0 || BigInt(head.timestamp) < validBefore) return false
  const [final] = await chain.rpc.read(signal, headerCall(number))
  return final !== null && BigInt(final.timestamp) >= validBefore && !(await isSpent(chain, signed, number, signal))
}

const lower = z.string().transform((text) => text.toLowerCase())
const quantity = z.string().transform(Number)
const Event = z.object({ topics: z.array(lower), transactionHash: lower, blockNumber: quantity })
type Event = z.output<typeof Event>

const eventsCall = ({ asset, payer, nonce }: Signed, from: number, to: number): RpcCall<Event[]> => ({
  method: 'eth_getLogs',
  params: [
    {
      fromBlock: numberToHex(from),
      toBlock: numberToHex(to),
      address: asset,
      topics: [[usedTopic, canceledTopic], `0x${payer.slice(2).padStart(64, '0')}`, nonce],
    },
  ],
  answer: z.array(Event),
})

/** Searches back to the order's creation, within `maxReads`. An authorisation names the deposit address, so it cannot be older. */
async function eventsOf(chain: EvmNode, signed: Signed, head: Header, since: number, signal: AbortSignal): Promise<readonly Event[]> {
  let to = head.number
  for (let reads = 0; reads < maxReads && to >= 0; reads++) {
    const from = Math.max(0, to - chain.config.maxRange + 1)
    const [events, first] = await chain.rpc.read(signal, eventsCall(signed, from, to), headerCall(from))
    if (events.length > 0) return events
    if (first && first.timestamp * 1000 < since - 60_000) break
    to = from - 1
  }
  return []
}

/** The event shows only that the nonce was used. The transfer in the same receipt shows whom and how much it paid. */
async function paidIn(chain: EvmNode, { asset, payer, payTo, value }: Signed, txHash: string, signal: AbortSignal): Promise<boolean> {
  const [receipt] = await chain.rpc.read(signal, receiptCall(txHash))
  return (
    receipt?.status === 1n &&
    receipt.logs.some(
      (log) =>
        log.address === asset &&
        log.topics[0] === transferTopic &&
        log.topics[1]?.slice(26) === payer.slice(2) &&
        log.topics[2]?.slice(26) === payTo.slice(2) &&
        log.data.length === 66 &&
        BigInt(log.data) === value,
    )
  )
}
