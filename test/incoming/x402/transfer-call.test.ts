import { ExactEvmScheme } from '@x402/evm/exact/facilitator'
import { type Abi, concatHex, encodeAbiParameters, encodeFunctionData, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import type { PaymentPayload, PaymentRequirements } from '../../../src/wire/x402.ts'
import { payers } from '../../../local/chains/accounts.ts'
import { deploymentCall, transferCall } from '../../../server/chains/evm/x402/transfer-call.ts'
import { sign } from './support.ts'

const [payer, , factory] = payers.map(({ address }) => address as Hex) as [Hex, Hex, Hex]
const offer: PaymentRequirements = {
  scheme: 'exact',
  network: 'eip155:8453',
  amount: '42500000',
  asset: privateKeyToAccount(`0x${'11'.repeat(32)}`).address,
  payTo: privateKeyToAccount(`0x${'22'.repeat(32)}`).address,
  maxTimeoutSeconds: 600,
  extra: { name: 'USD Coin', version: '2' },
}

const withSignature = (payload: PaymentPayload, signature: Hex): PaymentPayload => ({
  ...payload,
  payload: { ...payload.payload, signature },
})
const wrapped = (payload: PaymentPayload): PaymentPayload =>
  withSignature(
    payload,
    concatHex([
      encodeAbiParameters(
        [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }],
        [factory, '0x1234', payload.payload.signature as Hex],
      ),
      `0x${'6492'.repeat(16)}`,
    ]),
  )

/** Captures the calls that the official library would send for the payload. */
async function settledByLibrary(payload: PaymentPayload, code: Hex): Promise<{ to: string; data: Hex }[]> {
  const sent: { to: string; data: Hex }[] = []
  const hash = `0x${'ab'.repeat(32)}` as const
  let isDeployed = code !== '0x'
  const library = new ExactEvmScheme(
    {
      getAddresses: () => [factory],
      getCode: async ({ address }) => (address === payload.payload.authorization.from && !isDeployed ? '0x' : '0x60'),
      readContract: async () => '0x1626ba7e',
      verifyTypedData: async () => true,
      writeContract: async ({ address, abi, functionName, args }) => {
        sent.push({ to: address.toLowerCase(), data: encodeFunctionData({ abi: abi as Abi, functionName, args: [...args] }) })
        return hash
      },
      sendTransaction: async ({ to, data }) => {
        sent.push({ to: to.toLowerCase(), data })
        isDeployed = true
        return hash
      },
      waitForTransactionReceipt: async () => ({ status: 'success' }),
    },
    { eip6492AllowedFactories: [factory] },
  )
  const network = 'eip155:8453'
  const extra = offer.extra ?? {}
  const settled = await library.settle({ ...payload, accepted: { ...payload.accepted, network, extra } }, { ...offer, network, extra })
  expect(settled).toMatchObject({ success: true })
  return sent
}

test.each([
  ['an account', '0x', (payload: PaymentPayload) => payload],
  [
    'a contract wallet with a signature of its own form',
    '0x60',
    (payload: PaymentPayload) => withSignature(payload, `0x${'cd'.repeat(97)}`),
  ],
  ['a contract wallet with an ECDSA signature', '0x60', (payload: PaymentPayload) => payload],
  ['a contract wallet that is deployed by now', '0x60', wrapped],
  ['a contract wallet that is to be deployed', '0x', (payload: PaymentPayload) => wrapped(withSignature(payload, `0x${'cd'.repeat(97)}`))],
] as const)('behavior: the calls for %s match those of the official library', async (_, code, change) => {
  const payload = change(await sign(offer, { from: payer }))
  const deployment = code === '0x' ? deploymentCall(payload) : undefined
  const calls = [...(deployment ? [deployment] : []), transferCall(payload)]
  expect(calls.map(({ to, data }) => ({ to, data }))).toEqual(await settledByLibrary(payload, code))
})

test('behavior: an ECDSA signature in another form reaches the token unchanged, where the library would throw or have it refused', async () => {
  const payload = await sign(offer, { from: payer })
  const odd = withSignature(payload, `${payload.payload.signature.slice(0, -2)}1f` as Hex)
  expect(transferCall(odd).data).toContain(odd.payload.signature.slice(2))
})
