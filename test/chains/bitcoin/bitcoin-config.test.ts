import { HDKey, type Versions } from '@scure/bip32'
import { describe, expect, test } from 'vitest'
import { confirmationsFor } from '../../../server/chains/bitcoin/confirmations.ts'
import { ChainTableInvalid, parseChainTable } from '../../../server/chains/table.ts'
import { bitcoinConfig, bitcoinEntry, bitcoinEnv, testAccount } from './support.ts'

function mistakes(more: object, env: Record<string, string> = bitcoinEnv): Record<string, string> {
  try {
    parseChainTable({ chains: [bitcoinEntry(more)] }, env)
  } catch (error) {
    if (error instanceof ChainTableInvalid) return Object.fromEntries(error.issues.map(({ path, message }) => [path, message]))
    throw error
  }
  return {}
}

function publicKeyOf({ depth, index, parentFingerprint, chainCode, publicKey }: HDKey, versions: Versions): string {
  return new HDKey({ versions, depth, index, parentFingerprint, chainCode: chainCode!, publicKey: publicKey! }).publicExtendedKey
}

describe('Bitcoin in the table of chains', () => {
  test('default: an entry needs a node and an account, and needs no owner', () => {
    expect(bitcoinConfig()).toMatchObject({
      family: 'bitcoin',
      chainId: 20_000_000_000_001,
      network: 'local',
      nodes: [{ kind: 'bitcoind', url: 'http://127.0.0.1:1', auth: undefined }],
      tokens: [{ symbol: 'BTC', address: null, decimals: 8, priceId: 'BTC' }],
      account: { kind: 'local' },
      feeRates: { fallback: 5_000n, most: 300_000n },
    })
  })

  test('behavior: a larger payment needs more confirmations', () => {
    const config = bitcoinConfig()
    expect([1n, 999_999n, 1_000_000n, 49_999_999n, 50_000_000n, 10n ** 15n].map((amount) => confirmationsFor(config, amount))).toEqual([
      1, 1, 3, 3, 6, 6,
    ])
    expect(confirmationsFor(bitcoinConfig({ confirmations: [{ blocks: 2 }] }), 1n)).toBe(2)
  })

  test('behavior: nodes and an Esplora server may be named together, and credentials come from the environment', () => {
    const nodes = [{ rpc_url: 'http://node:8332', auth_env: 'AUTH' }, { esplora_url: 'https://esplora.example/api/' }]
    const [config] = parseChainTable(
      { chains: [bitcoinEntry({ nodes, require_second_node: true })] },
      { ...bitcoinEnv, AUTH: 'till:secret' },
    )
    expect(config).toMatchObject({
      requireSecondNode: true,
      nodes: [
        { kind: 'bitcoind', url: 'http://node:8332', auth: 'till:secret' },
        { kind: 'esplora', url: 'https://esplora.example/api' },
      ],
    })
  })

  test('behavior: both forms of an extended key are read, and derive the same addresses', () => {
    const [xpub, zpub] = [0x0488b21e, 0x04b24746].map((version) => publicKeyOf(testAccount, { private: 0x0488ade4, public: version }))
    expect([xpub!.slice(0, 4), zpub!.slice(0, 4)]).toEqual(['xpub', 'zpub'])
    const keys = [xpub, zpub].map((text) => {
      const account = { remote_signer_url: 'http://127.0.0.1:2', xpub: text }
      const [config] = parseChainTable({ chains: [{ ...bitcoinEntry({ account }), network: undefined }] }, {})
      return config?.family === 'bitcoin' ? config.account.key.publicExtendedKey : undefined
    })
    expect(keys).toEqual([xpub, xpub])
  })

  describe.each([20_000_000_000_101, 20_000_000_000_102])('%s, a test network', (chain_id) => {
    const entry = (more: object = {}) => ({ ...bitcoinEntry({ chain_id, network: undefined }), ...more })

    test('default: its addresses are those of a test network, and its coin is called as the real one', () => {
      const [config] = parseChainTable({ chains: [entry()] }, bitcoinEnv)
      expect(config).toMatchObject({
        family: 'bitcoin',
        chainId: chain_id,
        network: 'test',
        tokens: [{ chainId: chain_id, address: null, symbol: 'BTC', decimals: 8, priceId: 'BTC' }],
      })
    })

    test('behavior: it takes the keys of test networks in both forms', () => {
      const forms = [0x043587cf, 0x045f1cf6].map((version) => publicKeyOf(testAccount, { private: 0x04358394, public: version }))
      expect(forms.map((text) => text.slice(0, 4))).toEqual(['tpub', 'vpub'])
      for (const xpub of forms) {
        const account = { remote_signer_url: 'http://127.0.0.1:2', xpub }
        expect(parseChainTable({ chains: [entry({ account })] }, {})).toMatchObject([{ network: 'test', account: { kind: 'remote' } }])
      }
    })

    test('error: the key of the real network is refused', () => {
      const xpub = publicKeyOf(testAccount, { private: 0x0488ade4, public: 0x0488b21e })
      expect(mistakes({ ...entry(), account: { remote_signer_url: 'http://127.0.0.1:2', xpub } })).toEqual({
        'chains[0].account.xpub': "must be an account's extended public key (tpub or vpub)",
      })
    })
  })

  test('error: the test networks need one account, because an order has one address on both', () => {
    const [testnet4, signet, main] = [20_000_000_000_101, 20_000_000_000_102, 20_000_000_000_001].map((chain_id) => ({
      ...bitcoinEntry({ chain_id }),
      network: undefined,
    }))
    const other = { ...signet, account: { env: 'OTHER' } }
    const env = {
      ...bitcoinEnv,
      OTHER: testAccount.deriveChild(0).privateExtendedKey,
      MAIN: HDKey.fromMasterSeed(Buffer.alloc(32, 1)).privateExtendedKey,
    }
    expect(parseChainTable({ chains: [testnet4, signet, { ...main, account: { env: 'MAIN' } }] }, env)).toHaveLength(3)
    expect(() => parseChainTable({ chains: [testnet4, other] }, env)).toThrow(
      'chains[1].account: must be that of chain 20000000000101: an order has one address on both',
    )
    expect(() => parseChainTable({ chains: [testnet4, { ...signet, network: 'local' }] }, env)).toThrow('chains[1].account')
  })

  test.for<[string, object, Record<string, string>]>([
    ['a node twice', { nodes: [{ rpc_url: 'http://a' }, { rpc_url: 'http://a' }] }, { 'chains[0].nodes': 'names a node twice' }],
    [
      'credentials that are not there',
      { nodes: [{ rpc_url: 'http://a', auth_env: 'NONE' }] },
      { 'chains[0].nodes[0].auth_env': 'the environment variable NONE must hold USER:PASSWORD' },
    ],
    ['a second node that is not there', { require_second_node: true }, { 'chains[0].require_second_node': 'needs two nodes' }],
    [
      'steps that do not ascend',
      { confirmations: [{ below: '1', blocks: 1 }, { below: '0.5', blocks: 2 }, { blocks: 3 }] },
      { 'chains[0].confirmations': 'must ascend, and the last step has no "below"' },
    ],
    [
      'a last step with a limit',
      { confirmations: [{ below: '1', blocks: 1 }] },
      { 'chains[0].confirmations': 'must ascend, and the last step has no "below"' },
    ],
    [
      'no key',
      { account: { env: 'NONE' } },
      { 'chains[0].account.env': "the environment variable NONE must hold an account's extended private key (tprv or vprv)" },
    ],
    [
      'a private key where the public one belongs',
      { account: { remote_signer_url: 'http://s', xpub: testAccount.privateExtendedKey } },
      { 'chains[0].account.xpub': "must be an account's extended public key (tpub or vpub)" },
    ],
    ['a fallback above the limit', { fallback_fee_rate: 9, max_fee_rate: 8 }, { 'chains[0].fallback_fee_rate': 'is above max_fee_rate' }],
    ['members of another family', { operator: { env: 'X' } }, { 'chains[0]': expect.stringContaining('operator') }],
  ])('error: %s', ([, more, expected]) => expect(mistakes(more)).toEqual(expected))

  test('error: an EVM chain beside it needs the owner', () => {
    const evm = { chain_id: 8453, rpc_url: 'http://a', operator: { env: 'OPERATOR' } }
    const env = { ...bitcoinEnv, OPERATOR: `0x${'11'.repeat(32)}` }
    expect(() => parseChainTable({ chains: [bitcoinEntry(), evm] }, env)).toThrow('owner: is missing: EVM chains need it')
  })
})
