import fc from 'fast-check'
import { encode } from 'uqr'
import { expect, test } from 'vitest'
import { canReceive } from '../../src/wire/addresses/can-receive.ts'
import { exchangeNames, mistakenNetworks } from '../../src/methods/address/view/exchange.ts'
import { paymentUri } from '../../src/methods/address/view/payment-uri.ts'
import { qrText } from '../../src/methods/address/view/qr-text.ts'
import { walletLinks } from '../../src/methods/address/view/wallet-links.ts'
import * as orders from '../support/orders/orders.ts'

const to = (currency: typeof orders.usdc, raw: bigint, address = orders.depositAddress) => ({
  address,
  due: { raw, currency },
  reference: 'ord_1',
})

test('default: one link per family of chains, exact to the last unit', () => {
  expect(paymentUri(to(orders.usdc, 2_010_000n))).toBe(
    `ethereum:${orders.usdc.address}@8453/transfer?address=${orders.depositAddress}&uint256=2010000`,
  )
  expect(paymentUri(to(orders.ether, 1n))).toBe(`ethereum:${orders.depositAddress}@1?value=1`)
  expect(paymentUri(to(orders.bitcoin, 1n, 'bc1q'))).toBe('bitcoin:bc1q?amount=0.00000001')
  expect(paymentUri(to(orders.solana, 1_500_000_000n, 'So1'))).toBe('solana:So1?amount=1.5')
  expect(paymentUri(to({ ...orders.usdc, chain_id: 30000000000001, address: 'Mint' }, 42_500_000n, 'So1'))).toBe(
    'solana:So1?amount=42.5&spl-token=Mint',
  )
  expect(paymentUri(to(orders.sui, 5n, '0x8f'))).toBe('sui:0x8f?amount=5&coinType=0x2%3A%3Asui%3A%3ASUI&nonce=ord_1')
  expect(paymentUri(to({ ...orders.usdc, chain_id: 99 }, 1n))).toBeUndefined()
})

test('behavior: wallet links carry address, token, network and amount', () => {
  const target = to(orders.usdc, 42_500_000n)
  expect(walletLinks(target, paymentUri(target) ?? '').map(({ name, href }) => [name, href])).toEqual([
    ['MetaMask', `https://link.metamask.io/send/${orders.usdc.address}@8453/transfer?address=${orders.depositAddress}&uint256=42500000`],
    ['Trust Wallet', `https://link.trustwallet.com/send?asset=c8453_t${orders.usdc.address}&address=${orders.depositAddress}&amount=42.5`],
  ])
})

test('behavior: an address belongs to its chain', () => {
  const good: [number, string][] = [
    [8453, orders.depositAddress],
    [20000000000001, 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'],
    [20000000000001, '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'],
    [30000000000001, '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin'],
    [30000000000002, orders.hash],
  ]
  for (const [chain, address] of good) {
    for (const [other] of good) expect(canReceive(other, address), `${address} on ${other}`).toBe(other === chain)
  }
  expect(canReceive(8453, '0x0000000000000000000000000000000000000000')).toBe(false)
  expect(canReceive(8453, orders.depositAddress.slice(0, -1))).toBe(false)
  expect(canReceive(20000000000001, 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdp')).toBe(false)
})

test('behavior: lists each network’s names at exchanges, and the networks mistaken for it', () => {
  expect(exchangeNames(8453)).toEqual(['Base', 'Base Mainnet'])
  expect(exchangeNames(1)).toEqual(['ERC20', 'Ethereum'])
  expect(mistakenNetworks(8453)).toEqual(['ERC20', 'BEP20', 'Polygon'])
  expect(mistakenNetworks(20000000000001)).toEqual([])
})

test('behavior: an address for refunds is of the network of the order’s own deposit address', () => {
  const chain = orders.bitcoin.chain_id
  const onMain = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'
  const onTest = 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx'
  const onLocal = 'bcrt1q50nscr5nxw5et2aplyxvv4yzrtfjqfdxxeu62t'
  for (const deposit of [onMain, onTest, onLocal]) {
    for (const address of [onMain, onTest, onLocal])
      expect(canReceive(chain, address, deposit), `${address} for ${deposit}`).toBe(address === deposit)
  }
  // A deposit address that we cannot read says nothing, so the chain decides.
  for (const deposit of [undefined, '', 'nonsense']) {
    expect(canReceive(chain, onMain, deposit)).toBe(true)
    expect(canReceive(chain, onLocal, deposit)).toBe(false)
  }
  expect(canReceive(8453, orders.depositAddress, orders.depositAddress)).toBe(true)
})

test('behavior: a QR code has a SegWit address in large letters, which needs fewer modules, and everything else as it is', () => {
  const bare = 'bcrt1q50nscr5nxw5et2aplyxvv4yzrtfjqfdxxeu62t'
  expect(qrText(`bitcoin:${bare}?amount=0.00065`)).toBe(`bitcoin:${bare.toUpperCase()}?amount=0.00065`)
  expect(encode(qrText(bare), { ecc: 'M' }).size).toBeLessThan(encode(bare, { ecc: 'M' }).size)
  for (const text of [
    '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
    'bitcoin:1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa?amount=1',
    orders.depositAddress,
    '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin',
  ])
    expect(qrText(text)).toBe(text)
})

test('property: the URI of any amount is read back exactly, from the link and from the QR code', () => {
  const address = 'bcrt1q50nscr5nxw5et2aplyxvv4yzrtfjqfdxxeu62t'
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 2_100_000_000_000_000n }), (raw) => {
      const uri = paymentUri(to(orders.bitcoin, raw, address)) ?? ''
      for (const text of [uri, qrText(uri)]) {
        const [, to, whole = '', fraction = ''] = /^bitcoin:(\w+)\?amount=(\d+)(?:\.(\d{1,8}))?$/.exec(text) ?? []
        expect(to?.toLowerCase()).toBe(address)
        expect(BigInt(whole + fraction.padEnd(8, '0'))).toBe(raw)
      }
    }),
  )
})
