import { parseArgs } from 'node:util'
import type { OrderTerms } from '../../src/wire/terms/order-terms.ts'
import { isEvmAddress, isObject, lowerCase, readTerms } from '../../src/wire/terms/read-terms.ts'
import { termsAddress } from '../../src/wire/terms/terms-hash.ts'
import type { Call } from '../chains/evm/call.ts'
import { TillFactory } from '../chains/evm/contracts/artifacts/TillFactory.ts'
import { releaseCall, releaseOtherCall } from '../chains/evm/factory-calls.ts'
import { chainIdCall, codeCall, headerCall } from '../chains/evm/rpc-calls.ts'
import { createRpc, revertError, type Rpc, RpcError } from '../chains/evm/rpc.ts'
import { localSigner, type Signer } from '../chains/evm/signer.ts'
import { presetFee } from '../chains/presets/presets.ts'
import { type Command, type Env, type Say, UsageError } from './command.ts'
import { readOrderInput } from './order-input.ts'
import { sendStep } from './send-step.ts'
import { tokenBalance } from './token-balance.ts'

const lastReleaseAfter = 180 * 86_400

/** Needs nothing of the service, which may be gone for good. Whoever runs it pays the gas and decides nothing. */
export const release: Command = {
  usage: `release <order URL | file> --rpc URL [--token 0x…|native] [--key-env NAME] [--api-key pk_…]
  After the release time of an order, sends what is left at its address on the chain of this node to the recipients of its terms.
  The URL is that of the order's page, or {base_url}/orders/{id} with --api-key. The file has the order, or its terms alone, as JSON.
  --rpc      a node of the chain
  --token    a token that the terms do not name on this chain. Only the recipient of the chain's first settlement can take it, and
             180 days later the default recipient, so the key has to be his
  --key-env  the variable that has a private key with some of the chain's coin (TILL_RELEASE_KEY). Without a key it only prints what
             to send`,
  async run(args, env, say) {
    const { positionals, values } = parseArgs({ args: [...args], options, allowPositionals: true })
    if (positionals.length > 1) throw new UsageError('One order at a time.')
    const signer = signerOf(env, values['key-env'])
    const other = tokenOf(values.token)
    const rpcUrl = nodeOf(values.rpc)
    const input = await readOrderInput(positionals[0], values['api-key'])
    const given = input.is === 'terms' ? input.terms : isObject(input.order) ? input.order.terms : undefined
    const terms = readTerms(given)
    if (!terms)
      throw new Error(given === undefined ? 'The order has no terms, so nobody can release its money.' : 'The terms are malformed.')
    const rpc = await connectTo(rpcUrl)
    const at: Place = { rpc, terms, address: termsAddress(terms), signer, say }
    const left = await (other === undefined ? releaseSettlements(at) : releaseOther(at, other))
    if (left > 0) throw new Error('Not everything has been released.')
  },
}

const options = {
  rpc: { type: 'string' },
  token: { type: 'string' },
  'key-env': { type: 'string', default: 'TILL_RELEASE_KEY' },
  'api-key': { type: 'string' },
} as const

interface Place {
  readonly rpc: Rpc
  readonly terms: OrderTerms
  readonly address: string
  readonly signer: Signer | undefined
  readonly say: Say
}

const readTime = (): AbortSignal => AbortSignal.timeout(60_000)

function signerOf(env: Env, name: string): Signer | undefined {
  const key = env[name]
  if (!key) return undefined
  if (!/^0x[0-9a-fA-F]{64}$/.test(key)) throw new UsageError(`${name} must hold a private key (0x and 64 hex digits).`)
  return localSigner(key as `0x${string}`)
}

/** Null is the native coin. */
function tokenOf(text: string | undefined): string | null | undefined {
  if (text === undefined || isEvmAddress(text)) return text
  if (text === 'native') return null
  throw new UsageError(`--token is an address or "native", not ${JSON.stringify(text)}.`)
}

function nodeOf(url: string | undefined): string {
  if (url !== undefined && /^https?:\/\//i.test(url) && URL.canParse(url)) return url
  throw new UsageError("--rpc is the URL of a chain's node (http or https).")
}

/** The node says which chain it serves. The factory's calls fail on any other. */
async function connectTo(url: string): Promise<Rpc> {
  const [chainId] = await createRpc(0, [url])
    .read(readTime(), chainIdCall())
    .catch((cause: unknown) => {
      throw new Error(`The node did not say which chain it serves (${cause instanceof Error ? cause.message : String(cause)}).`, { cause })
    })
  return createRpc(chainId, [url])
}

/** Returns how many settlements' money a key could not release, because it is too early or because it was not paid. Without a key nothing is tried. */
async function releaseSettlements(at: Place): Promise<number> {
  const { rpc, terms, address, say } = at
  const { chainId } = rpc
  const settlements = terms.settlements.filter(({ chain_id }) => chain_id === chainId)
  say(`order ${terms.order_id}: ${address} on chain ${chainId}`)
  if (settlements.length === 0)
    throw new Error(`The terms name no settlement on chain ${chainId}. --token releases what is there nevertheless.`)
  await requireFactory(at)
  const isTime = await saysWhen(at, terms.release_at)
  let left = 0
  for (const { token, recipient } of settlements) {
    const balance = await tokenBalance(at.rpc, at.address, token)
    say(`  ${nameOf(token)}: ${balance} to ${recipient}`)
    if (balance === 0n) continue
    left += (await sendOrPrint(at, token, releaseCall({ terms, chainId, token }), isTime)) ? 0 : 1
  }
  return at.signer ? left : 0
}

/** Returns 1 if a key could not release the token, because it is too early or because it was not paid. Without a key nothing is tried. */
async function releaseOther(at: Place, token: string | null): Promise<number> {
  const { rpc, terms, address, signer, say } = at
  const here = terms.settlements.filter(({ chain_id }) => chain_id === rpc.chainId)
  say(`order ${terms.order_id}: ${address} on chain ${rpc.chainId}`)
  if (here.some((settlement) => nameOf(settlement.token) === nameOf(token)))
    throw new Error(`The terms name ${nameOf(token)} on this chain: release it without --token.`)
  await requireFactory(at)
  const first = here.find(({ first_of_chain }) => first_of_chain)
  const isFirst = signer !== undefined && first !== undefined && lowerCase(first.recipient) === signer.address
  const isDefault = signer !== undefined && lowerCase(terms.default_recipient) === signer.address
  if (signer && !isFirst && !isDefault)
    throw new Error(
      `Only ${first?.recipient ?? terms.default_recipient} can take ${nameOf(token)}, with a key of its own: not ${signer.address}.`,
    )
  const isTime = await saysWhen(at, isFirst || (!signer && first) ? terms.release_at : terms.release_at + lastReleaseAfter)
  const balance = await tokenBalance(at.rpc, at.address, token)
  say(`  ${nameOf(token)}: ${balance}`)
  if (balance === 0n) return 0
  const isReleased = await sendOrPrint(at, token, releaseOtherCall(terms, token), isTime)
  return isReleased || !signer ? 0 : 1
}

const nameOf = (token: string | null): string => (token === null ? 'native coin' : lowerCase(token))

async function requireFactory({ rpc, terms }: Place): Promise<void> {
  const [code] = await rpc.read(readTime(), codeCall(lowerCase(terms.factory)))
  if (code === '0x') throw new Error(`Chain ${rpc.chainId} has no factory at ${terms.factory}: is it the order's chain?`)
}

/** The contract compares with the time of a block and not of any clock. */
async function saysWhen({ rpc, say }: Place, from: number): Promise<boolean> {
  const [block] = await rpc.read(readTime(), headerCall('latest'))
  const isTime = block !== null && block.timestamp >= from
  if (!isTime) say(`  can be released from ${new Date(from * 1000).toISOString()}, and not before`)
  return isTime
}

/** Returns whether what was there has left. A release that does not pay reverts as a whole, so one that was mined has paid everything. */
async function sendOrPrint(at: Place, token: string | null, { to, data }: Call, isTime: boolean): Promise<boolean> {
  const { rpc, signer, say } = at
  if (!signer) say(`    to   ${to}\n    data ${data}`)
  if (!signer || !isTime) return false
  const what = `the release of ${nameOf(token)}`
  try {
    const step = { what, by: 'anyone', to, data: data as `0x${string}` } as const
    const { hash, cost } = await sendStep(rpc, signer, step, presetFee(rpc.chainId), AbortSignal.timeout(180_000))
    say(`    released (${hash}, ${cost} wei)`)
    return true
  } catch (error) {
    switch (factoryError(error)) {
      case 'NothingToRelease':
        say('    somebody else has released it meanwhile')
        return true
      case 'NotReleased':
        say('    not paid: the token or the recipient refuses it')
        return false
      default:
        throw error
    }
  }
}

/** The factory's error, if the node has found by simulation that the call would fail. */
const factoryError = (error: unknown): string | undefined =>
  error instanceof Error && error.cause instanceof RpcError ? revertError(error.cause, TillFactory.abi)?.errorName : undefined
