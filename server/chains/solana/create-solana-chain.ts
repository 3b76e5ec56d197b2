import { codecs } from '../../../src/wire/addresses/codecs.ts'
import type { ConfiguredChain } from '../chain.ts'
import type { Gate } from '../gate.ts'
import { amountOf, solanaFeed } from './account-feed.ts'
import { accountsCall } from './calls.ts'
import { checkCluster } from './check-cluster.ts'
import { lamportCosts, leastLamports } from './lamport-costs.ts'
import { solanaPayouts } from './payouts/solana-payouts.ts'
import { rpcClient } from './rpc-client.ts'
import { createSolanaSigner } from './signer.ts'
import type { SolanaConfig } from './solana-config.ts'
import { solanaDeposits } from './solana-deposits.ts'
import { accountFor } from './token-account.ts'
import { currentUnitPrice } from './unit-price.ts'
import { walletPayments } from './wallet-payments.ts'
import { solanaX402 } from './x402/solana-x402.ts'

export function createSolanaChain(config: SolanaConfig, gate?: Gate): ConfiguredChain {
  const { chainId, tokens, rpcUrls, timeoutMs } = config
  const clientOf = (urls: readonly string[]) => rpcClient({ chainId, urls, timeoutMs })
  const unchecked = clientOf(rpcUrls)
  const rpc = gate?.behind(unchecked) ?? unchecked
  const signer = createSolanaSigner(config.keys)
  const payouts = solanaPayouts({ config, rpc, signer, ...(rpcUrls.length > 1 && { nodes: rpcUrls.map((url) => clientOf([url])) }) })
  return {
    id: chainId,
    tokens,
    addresses: codecs.solana.addressesOn('main'),
    deposits: solanaDeposits(config, signer),
    feed: solanaFeed(config, rpc),
    payouts,
    x402: solanaX402({ chainId, rpc, operator: signer.operator, tokens, enqueueTask: payouts.enqueueTask }),
    async holdings(address, signal, wanted = tokens) {
      const accounts = await Promise.all(wanted.map((token) => accountFor(address, token.address, tokens)))
      const [{ value }] = await rpc.read(signal, accountsCall(accounts, 0))
      return wanted.map((token, i) => ({ token, amount: amountOf(value[i] ?? null, token.address) }))
    },
    walletPayments: walletPayments(rpc, config),
    feeRate: (signal) => currentUnitPrice(rpc, config, signal),
    ...lamportCosts(tokens),
    leastLeg: leastLamports,
    check: (signal) => checkCluster(unchecked, signer, config, signal),
  }
}
