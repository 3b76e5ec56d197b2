import { seed } from '../../support/full.ts'
import { createRandom } from '../../support/random.ts'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { encodeFunctionData, getAddress, parseAbi, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Order } from '../../../src/wire/order.ts'
import type { PaymentPayload, PaymentRequired, PaymentRequirements, PaymentResponse } from '../../../src/wire/x402.ts'
import { ChainUnavailable } from '../../../server/chains/chain.ts'
import type { Rpc } from '../../../server/chains/evm/rpc.ts'
import { readConfig } from '../../../server/config.ts'
import { type LocalAccount, payers } from '../../../local/chains/accounts.ts'
import { localPrices } from '../../../local/prices.ts'
import { localKeys, seedLocal } from '../../../local/seed.ts'
import type { Prices } from '../../../server/providers/prices.ts'
import { guards } from '../../../server/guard/guards.ts'
import { guard as localGuard } from '../../../local/chains/accounts.ts'
import { testGuard } from '../../support/wallets/test-guard.ts'
import { type Running, startService } from '../../../server/compose/service.ts'
import { connect } from '../../../server/database/connect.ts'
import { startTestChain, type TestChain, withRpc } from '../../chains/support.ts'
import { type Client, createClient } from '../../support/client/client.ts'
import { createDatabase } from '../../support/service/database.ts'
import { until } from '../../support/wait.ts'
import { authorizationTypes } from '../../support/wallets/authorization-types.ts'

/** The whole service in this process, on one chain that the test mines, with access to its internals. */
export interface World {
  readonly test: TestChain
  readonly running: Running
  readonly client: Client
  readonly dollar: string
  order(amount?: string): Promise<Order>
  get(orderId: string): Promise<Order>
  /** Calls the endpoint under test with any header and body. */
  complete(orderId: string, header?: string, body?: unknown): Promise<Answer>
  balance(of: string): Promise<bigint>
  /** The percentage of node calls that fail. */
  readonly nodeFailures: { percent: number }
  /** Starts the service again on the same database and chain, as after a restart. */
  restart(): Promise<void>
  close(): Promise<void>
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly required: PaymentRequired | undefined
  readonly response: PaymentResponse | undefined
  readonly body: { order?: Order; error?: string; message?: string; code?: number }
}

export interface WorldOptions {
  readonly waitMs?: number
  readonly acceptEarly?: boolean
  readonly env?: Record<string, string>
  readonly prices?: Prices
}

export async function startWorld({ waitMs, acceptEarly, env, prices }: WorldOptions = {}): Promise<World> {
  const [database, test] = await Promise.all([createDatabase(), startTestChain()])
  const clientDir = emptyClient()
  const dollar = test.token('USDC').toLowerCase()
  const nodeFailures = { percent: 0 }
  const start = async () => {
    const sql = connect(database.url, 20)
    await seedLocal(sql, [], dollar)
    const config = readConfig({ PORT: '0', RATE_BURST: '100000', RATE_PER_SECOND: '100000', ...env })
    const log = pino({ level: process.env.LOG_LEVEL ?? 'silent' })
    const chain = withRpc(test.chain, flaky(test.chain.rpc, nodeFailures))
    const guard = guards({ own: testGuard(localGuard), ofOrganization: () => testGuard(localGuard) })
    return startService({
      config,
      sql,
      chains: [chain],
      prices: prices ?? (await localPrices(sql, Date.now)),
      guard,
      log,
      render: () => '',
      receiptSheet: () => undefined,
      clientDir,
      isLocal: true,
      x402: { waitMs, acceptEarly },
    })
  }
  let running = await start()
  const base = () => `${running.payUrl}/v3`
  const client = (): Client => createClient(base(), { apiKey: localKeys.apiKey, secret: localKeys.secret })
  return {
    test,
    nodeFailures,
    dollar,
    get running() {
      return running
    },
    get client() {
      return client()
    },
    order: (amount = '42.50') => client().ask<'createOrder'>('createOrder', { body: { mode: 'SALE', amount, fiat_unit: 'usd' } }),
    get: (orderId) => client().ask<'getOrder'>('getOrder', { params: { order_id: orderId } }),
    complete: (orderId, header, body) => complete(base(), orderId, header, body),
    balance: async (of) => {
      const data = encodeFunctionData({ abi: parseAbi(['function balanceOf(address) view returns (uint256)']), args: [of as Hex] })
      const [raw] = await test.anvil.ask(['eth_call', { to: dollar, data }, 'latest'])
      return BigInt(raw as string)
    },
    restart: async () => {
      await running.stop()
      running = await start()
    },
    close: async () => {
      await running.stop()
      await test.stop()
      await database.drop()
      rmSync(clientDir, { recursive: true, force: true })
    },
  }
}

const random = createRandom(seed)

/** A node whose calls fail at random, before or after they took effect. */
function flaky(rpc: Rpc, nodeFailures: { percent: number }): Rpc {
  type Asking = (signal: AbortSignal, ...asks: readonly never[]) => Promise<never>
  const doubt = (signal: AbortSignal) => {
    signal.throwIfAborted()
    if (random.int(0, 99) < nodeFailures.percent) throw new ChainUnavailable(rpc.chainId, 'chain_unavailable', 'silent, for the test.')
  }
  const flakyRead =
    (ask: Asking): Asking =>
    async (signal, ...asks) => {
      doubt(signal)
      const answer = await ask(signal, ...asks)
      doubt(signal)
      return answer
    }
  return { chainId: rpc.chainId, read: flakyRead(rpc.read as Asking), attempt: flakyRead(rpc.attempt as Asking) } as Rpc
}

function emptyClient(): string {
  const dir = mkdtempSync(join(tmpdir(), 'till-client-'))
  mkdirSync(join(dir, '.vite'))
  writeFileSync(join(dir, '.vite/manifest.json'), '{}')
  writeFileSync(join(dir, 'till-versions.json'), '[]')
  return dir
}

const decoded = <T>(header: string | null): T | undefined =>
  header === null ? undefined : (JSON.parse(Buffer.from(header, 'base64').toString()) as T)
export const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64')

/** Repeats the call while the transfer is on its way, because a busy machine may exceed the time for which one call waits. */
export const completeAtLast = (world: World, orderId: string, header: string): Promise<Answer> =>
  until(async () => {
    const answer = await world.complete(orderId, header)
    return answer.status === 202 ? undefined : answer
  })

export async function complete(base: string, orderId: string, header?: string, body?: unknown): Promise<Answer> {
  const response = await fetch(`${base}/orders/${orderId}/x402/complete`, {
    method: 'POST',
    headers: {
      ...(header === undefined ? {} : { 'PAYMENT-SIGNATURE': header }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  return {
    status: response.status,
    headers: response.headers,
    required: decoded<PaymentRequired>(response.headers.get('payment-required')),
    response: decoded<PaymentResponse>(response.headers.get('payment-response')),
    body: (await response.json()) as Answer['body'],
  }
}

export interface Signing {
  readonly payer?: LocalAccount
  /** The payer when it is not the signer, as for a contract wallet. */
  readonly from?: string
  readonly to?: string
  readonly value?: string
  readonly nonce?: Hex
  readonly validAfter?: number
  readonly validBefore?: number
}

let nonces = 0
const freshNonce = (): Hex => `0x${(BigInt(Date.now()) * 1_000_000n + BigInt(++nonces)).toString(16).padStart(64, '0')}`

/** Signs an offer without a library, so that invalid payloads can be signed too. */
export async function sign(
  offer: PaymentRequirements,
  { payer = payers[0]!, from, to, value, nonce, validAfter, validBefore }: Signing = {},
): Promise<PaymentPayload> {
  const account = privateKeyToAccount(payer.private_key)
  const authorization = {
    from: from ?? account.address,
    to: to ?? offer.payTo,
    value: value ?? offer.amount,
    validAfter: String(validAfter ?? 0),
    validBefore: String(validBefore ?? Math.floor(Date.now() / 1000) + offer.maxTimeoutSeconds),
    nonce: nonce ?? freshNonce(),
  }
  const signature = await account.signTypedData({
    domain: {
      name: offer.extra?.name,
      version: offer.extra?.version,
      chainId: Number(offer.network.slice(7)),
      verifyingContract: getAddress(offer.asset),
    },
    types: authorizationTypes,
    primaryType: 'TransferWithAuthorization',
    message: {
      from: authorization.from as Hex,
      to: authorization.to as Hex,
      value: BigInt(authorization.value),
      validAfter: BigInt(authorization.validAfter),
      validBefore: BigInt(authorization.validBefore),
      nonce: authorization.nonce as Hex,
    },
  })
  return { x402Version: 2, accepted: offer as PaymentPayload['accepted'], payload: { signature, authorization } }
}

export const transferWithAuthorization = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
  'function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)',
])

/** Broadcasts the signed transfer, which any account may do. */
export const bringToChain = (
  { test, dollar }: World,
  sender: LocalAccount,
  { payload: { authorization: a, signature } }: PaymentPayload,
): Promise<Hex> =>
  test.call(sender, {
    address: dollar,
    abi: transferWithAuthorization,
    functionName: 'transferWithAuthorization',
    args: [a.from, a.to, BigInt(a.value), BigInt(a.validAfter), BigInt(a.validBefore), a.nonce, signature],
  })

export async function offerOf(world: Pick<World, 'complete'>, orderId: string): Promise<PaymentRequirements> {
  const { required } = await world.complete(orderId)
  const [offer] = required?.accepts ?? []
  if (!offer) throw new Error(`nothing is offered: ${required?.error}`)
  return offer
}
