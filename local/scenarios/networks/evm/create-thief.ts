import { createPublicClient, createWalletClient, http, type Hex, zeroAddress } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { moveDigest } from '../../../../server/chains/evm/move-digest.ts'
import { refundCall, releaseCall, settleCall } from '../../../../server/chains/evm/factory-calls.ts'
import type { Call } from '../../../../server/chains/evm/call.ts'
import type { Order } from '../../../../src/wire/order.ts'
import { operator } from '../../../chains/accounts.ts'
import type { LocalChains } from '../../../chains.ts'
import { CannotPlay } from '../../cannot-play.ts'
import type { Money, Thief } from '../network.ts'
import { waitUntilMined } from './blocks-by-hand.ts'

export function createThief(local: LocalChains, { terms }: Order, money: Money): Thief {
  const { token, raw } = money
  const url = local.chains.find((chain) => chain.chain_id === money.chainId)?.rpc_url
  const chainId = local.configs.find((config) => config.chainId === money.chainId)?.chainId
  if (!url || !chainId || !terms) throw new CannotPlay('This order has no terms, so nothing holds its money to the merchant.')
  const reader = createPublicClient({ transport: http(url) })
  const account = privateKeyToAccount(operator.private_key)
  const wallet = createWalletClient({ account, transport: http(url) })
  const loot = privateKeyToAccount(generatePrivateKey())
  const settling = { terms, chainId, token }
  const isRefused = async ({ to, data }: Call): Promise<boolean> =>
    reader.call({ account, to: to as Hex, data: data as Hex }).then(
      () => false,
      () => true,
    )
  return {
    async tryToTake() {
      const move = { tokenIn: token, tokenOut: token, legs: [{ to: loot.address, amount: raw }], nonce: 1n, deadline: 2n ** 40n }
      const signature = await loot.sign({ hash: moveDigest({ chainId, terms, move }) })
      const attempts = [
        // A fee above the cap, a refund that another key than the guard's has signed, and one that nobody has signed.
        settleCall({ ...settling, toRecipient: 1n, fee: raw - 1n }),
        refundCall(terms, { ...move, signature }),
        refundCall({ ...terms, guard: zeroAddress }, { ...move, signature: '0x' }),
        // A release, weeks before its time.
        releaseCall(settling),
      ]
      const refused = await Promise.all(attempts.map(isRefused))
      return refused.filter(Boolean).length
    },
    async settleEarly() {
      const { to, data } = settleCall({ ...settling, toRecipient: raw, fee: 0n })
      const hash = await wallet.sendTransaction({ to: to as Hex, data: data as Hex, chain: null, gas: 700_000n })
      await waitUntilMined(local, chainId, hash)
      return hash
    },
  }
}
