import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { HDKey } from '@scure/bip32'
import { generatePrivateKey } from 'viem/accounts'
import { expect } from 'vitest'
import { parseChainTable } from '../../server/chains/table.ts'
import { solanaOperator, solanaSeed } from '../../local/solana/accounts.ts'
import { cardSimulator } from '../../local/simulators/card.ts'
import { RulesFile } from '../../server/guard/guard-config.ts'
import { priceService } from '../../server/providers/price-sources/price-service.ts'
import { OrderCreate } from '../../src/wire/order.ts'
import { readExactly } from '../support/client/exact.ts'

/** The documents name variables, and each holds what its name says. */
const keyNamed = (name: string): string => endings.find(([end]) => name.endsWith(end))?.[1] ?? generatePrivateKey()
const bitcoinAccount = HDKey.fromMasterSeed(new Uint8Array(32).fill(1))
const testAccount = HDKey.fromMasterSeed(new Uint8Array(32).fill(1), { private: 0x04358394, public: 0x043587cf })
const endings: readonly (readonly [string, string])[] = [
  ['_BITCOIN_RPC', 'user:password'],
  ['_BITCOIN_ACCOUNT', bitcoinAccount.privateExtendedKey],
  ['_TEST_ACCOUNT', testAccount.privateExtendedKey],
  ['_SOLANA_SEED', solanaSeed],
  ['_SOLANA_OPERATOR', solanaOperator.private_key],
]

/** Parses a JSON block of a document as its real reader does. */
export const readers: Readonly<Record<string, (json: unknown) => unknown>> = {
  OrderCreate: (json) => readExactly(OrderCreate, json),
  TILL_CHAINS: (json) => parseChainTable(json, new Proxy({}, { get: (_, name) => keyNamed(String(name)) })),
  GUARD_RULES: (json) => RulesFile.parse(json),
  prices: async (json) => {
    const server = createServer((_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(json)))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const price = await priceService({
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      elapsed: () => performance.now(),
    }).get('usdc')
    server.close()
    expect(price?.usd).toMatch(/^\d/)
  },
  'card-session': async (json) => {
    const secret = 'secret'
    const none = () => ''
    const { provider } = cardSimulator({ secret, at: none, payUrl: none, usdOf: async () => '1', deliver: async () => '' })
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
    expect((await provider.request('/sessions', { method: 'POST', headers, body: JSON.stringify(json) })).status).toBe(200)
  },
}
