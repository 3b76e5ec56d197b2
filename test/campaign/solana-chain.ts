import { answering } from '../../local/solana/rpc/answer.ts'
import { type LocalSolana, startLocalSolana } from '../../local/solana/start-local-solana.ts'
import { type NodeProxy, startNodeProxy } from '../chains/solana/node-proxy.ts'
import { type SocketProxy, startSocketProxy } from '../chains/solana/socket-proxy.ts'
import { localSolanaEntry } from '../chains/solana/support.ts'
import { solanaWallets } from '../support/wallets/solana-wallet.ts'
import { createSolanaPayer, type SolanaPayer } from './solana-payer.ts'

/** A Solana chain, and the proxies through which the service reads it and subscribes. Payers use its node directly. */
export interface SolanaChain {
  readonly proxy: NodeProxy
  readonly socket: SocketProxy
  readonly local: LocalSolana
  readonly payer: SolanaPayer
  readonly hostilePayer: SolanaPayer
  close(): Promise<void>
}

/** A transaction expires after 150 blocks, and this leaves a service that is killed meanwhile some seconds for it. */
const slotMs = 50

export const solanaChainEntry = ({ local, proxy, socket }: SolanaChain) =>
  localSolanaEntry(local, { rpc_url: proxy.url, ws_url: socket.url, poll_ms: 30, timeout_ms: 1_500, addresses_ahead: 200 })

export async function startSolanaChain(): Promise<SolanaChain> {
  const local = await startLocalSolana({ slots: { ms: slotMs } })
  const { node, wallets } = local
  const proxy = await startNodeProxy(answering(node.ledger, {}))
  const socket = await startSocketProxy(node.wsUrl)
  const clients = solanaWallets(node.url, node.wsUrl)
  const [honest, hostile] = wallets
  return {
    local,
    proxy,
    socket,
    payer: await createSolanaPayer(clients, honest!),
    hostilePayer: await createSolanaPayer(clients, hostile!),
    async close() {
      await socket.close()
      await proxy.close()
      await local.stop()
    },
  }
}
