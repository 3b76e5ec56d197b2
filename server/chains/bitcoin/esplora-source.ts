import * as z from 'zod'
import type { Block } from '../blocks/block.ts'
import { ChainUnavailable } from '../chain.ts'
import { ChainMisconfigured } from '../chain-misconfigured.ts'
import { forEachConcurrently } from '../../lib/for-each-concurrently.ts'
import { checkedHeader, Hash, Height, Hex, isTransaction, outpointOf, refusalOf, requireTransaction } from './answers.ts'
import type { BitcoinConfig } from './bitcoin-config.ts'
import { chainName } from './bitcoind-source.ts'
import { type HttpResponse, httpClient } from '../http-client.ts'
import type { BitcoinSource } from './source.ts'

/** The hash of the first block tells chains apart. */
const firstBlocks: Readonly<Record<string, string>> = {
  main: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
  testnet4: '00000000da84f2bafbbc53dee25a72ae507ff4914b867c565be350b0da8bf043',
  signet: '00000008819873e925422c1ff0f99f7cc9bbb232af63a077a480a3633bee1ef6',
  regtest: '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206',
}

const mostBlockBytes = 4_000_000
/** A mempool of 300 MB has fewer transactions than fit. */
const mostListBytes = 128 * 1024 * 1024
const mostTextBytes = 1024 * 1024
const requestsAtOnce = 6

/** Esplora does not say what it relays. This is what every node has relayed for years: a satoshi for a virtual byte. */
const usualLeast = 1_000n

const HeightText = z
  .string()
  .regex(/^\d{1,10}$/)
  .transform(Number)
  .pipe(Height)
const Status = z.object({ confirmed: z.boolean(), block_height: Height.optional(), block_hash: Hash.optional() })
const Spent = z.object({ spent: z.boolean(), txid: Hash.optional(), status: z.object({ confirmed: z.boolean() }).nullish() })
const Estimates = z.record(z.string(), z.number().positive().max(1_000_000))
const Satoshis = z.int().min(0)
const AddressStats = z.object({ chain_stats: z.object({ funded_txo_sum: Satoshis, spent_txo_sum: Satoshis }) })
const NodeProblem = z.object({ code: z.number(), message: z.string() })

export type EsploraConfig = Pick<BitcoinConfig, 'chainId' | 'network' | 'timeoutMs'> & { readonly node: { readonly url: string } }

/** Reads an Esplora server, for those who have no node, or as a second opinion about their own. */
export function esploraSource({ chainId, network, timeoutMs, node }: EsploraConfig): BitcoinSource {
  const request = httpClient({ chainId, url: node.url, timeoutMs })
  const name = new URL(node.url).host
  const unavailable = (message: string, cause?: unknown) =>
    new ChainUnavailable(chainId, 'chain_unavailable', message, cause === undefined ? {} : { cause })

  /** Returns undefined for what the server does not know. */
  async function get(path: string, signal: AbortSignal, mostBytes = mostTextBytes): Promise<HttpResponse['body'] | undefined> {
    const { status, body } = await request({ path, mostBytes }, signal)
    if (status === 200) return body
    if (status === 404) return undefined
    throw unavailable(`${name} answered ${path} with status ${status}.`)
  }

  function parsed<T>(schema: z.ZodType<T>, value: unknown, path: string): T {
    const result = schema.safeParse(value)
    if (result.success) return result.data
    throw unavailable(`the answer of ${name} to ${path} does not match its schema.`, result.error)
  }

  async function text<T>(schema: z.ZodType<T>, path: string, signal: AbortSignal): Promise<T | undefined> {
    const body = await get(path, signal)
    return body && parsed(schema, body.toString('utf8').trim(), path)
  }

  async function json<T>(schema: z.ZodType<T>, path: string, signal: AbortSignal, mostBytes?: number): Promise<T | undefined> {
    const body = await get(path, signal, mostBytes)
    return body && parsed(schema, jsonOf(body.toString('utf8')), path)
  }

  /** What the server must know cannot be missing. */
  function required<T>(value: T | undefined, path: string): T {
    if (value === undefined) throw unavailable(`${name} does not know ${path}.`)
    return value
  }

  const hashAt = (height: number, signal: AbortSignal) => text(Hash, `/block-height/${height}`, signal)

  async function header(hash: string, height: number, signal: AbortSignal): Promise<Block> {
    const path = `/block/${hash}/header`
    return checkedHeader(chainId, required(await text(Hex, path, signal), path), { hash, height, network }, name)
  }

  const rawTransaction = (txid: string, signal: AbortSignal) => get(`/tx/${txid}/raw`, signal, mostBlockBytes)

  /** Returns the transaction that waits and spends an output. */
  async function spender(outpoint: string, signal: AbortSignal): Promise<string | undefined> {
    const { txid, vout } = outpointOf(outpoint)
    const answer = await json(Spent, `/tx/${txid}/outspend/${vout}`, signal)
    return answer?.spent && answer.status?.confirmed === false ? answer.txid : undefined
  }

  return {
    name,
    async check(signal) {
      const expected = firstBlocks[chainName({ chainId, network }) ?? '']
      const first = required(await hashAt(0, signal), '/block-height/0')
      if (first !== expected)
        throw new ChainMisconfigured(`The server ${name} of chain ${chainId} is on another chain: its first block is ${first}.`)
    },
    async head(signal) {
      const path = '/blocks/tip/height'
      const height = required(await text(HeightText, path, signal), path)
      return header(required(await hashAt(height, signal), `/block-height/${height}`), height, signal)
    },
    async block(height, signal) {
      const hash = await hashAt(height, signal)
      return hash === undefined ? undefined : header(hash, height, signal)
    },
    async rawBlock(hash, signal) {
      const path = `/block/${hash}/raw`
      return required(await get(path, signal, mostBlockBytes), path)
    },
    waiting: async (signal) => new Set(await json(z.array(Hash), '/mempool/txids', signal, mostListBytes)),
    async transactions(txids, signal) {
      const found = new Map<string, Uint8Array>()
      await forEachConcurrently(requestsAtOnce, txids, async (txid) => {
        const raw = await rawTransaction(txid, signal)
        if (raw && isTransaction(raw, txid)) found.set(txid, raw)
      })
      return found
    },
    async spenders(outpoints, signal) {
      const found = new Map<string, string | undefined>()
      await forEachConcurrently(requestsAtOnce, outpoints, async (outpoint) => found.set(outpoint, await spender(outpoint, signal)))
      return outpoints.map((outpoint) => found.get(outpoint))
    },
    async find(txid, signal) {
      const [status, raw] = await Promise.all([json(Status, `/tx/${txid}/status`, signal), rawTransaction(txid, signal)])
      if (!status || !raw) return undefined
      requireTransaction(chainId, raw, txid, name)
      const { confirmed, block_height: height, block_hash: hash } = status
      if (!confirmed) return { raw }
      return { raw, at: { height: required(height, `/tx/${txid}/status`), hash: required(hash, `/tx/${txid}/status`) } }
    },
    async broadcast(raw, signal) {
      const body = Buffer.from(raw).toString('hex')
      const response = await request({ path: '/tx', method: 'POST', body, mostBytes: mostTextBytes }, signal)
      if (response.status === 200) return undefined
      // The server passes on what its node answered, in a sentence with JSON at its end.
      const answer = response.body.toString('utf8').slice(0, 2_000)
      const problem = NodeProblem.safeParse(jsonOf(/\{.*\}/s.exec(answer)?.[0] ?? ''))
      if (response.status === 400 && problem.success) return refusalOf(problem.data)
      throw unavailable(`${name} answered /tx with status ${response.status}.`)
    },
    async feeRates(signal) {
      const path = '/fee-estimates'
      const { '3': usual } = required(await json(Estimates, path, signal), path)
      return { usual: usual === undefined ? undefined : BigInt(Math.ceil(usual * 1_000)), least: usualLeast }
    },
    async balance(address, signal) {
      const path = `/address/${address}`
      const { funded_txo_sum: funded, spent_txo_sum: spent } = required(await json(AddressStats, path, signal), path).chain_stats
      return BigInt(funded) - BigInt(spent)
    },
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
