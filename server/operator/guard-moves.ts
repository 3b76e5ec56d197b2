import { parseArgs } from 'node:util'
import type { Hex } from 'viem'
import { createRpc } from '../chains/evm/rpc.ts'
import { openApprovals } from '../guard/approvals.ts'
import { signApproval } from '../guard/sign-approval.ts'
import { type Command, configuredEvmChains, UsageError, withDatabase } from './command.ts'

/** Moves that wait for a merchant's own guard (`organisation --guard`), whose people sign them in their wallet. */
export const guardMoves: Command = {
  usage: `guard-moves
  Prints each move that waits for the signature of a merchant's own guard, and what its wallet has to sign.
  guard-moves --sign DIGEST --signature 0x…
  Hands the signature in. It is verified on the chain first: a key's signature, or what the contract wallet accepts (ERC-1271).`,
  async run(args, env, say) {
    const { sign, signature } = parseArgs({
      args: [...args],
      options: { sign: { type: 'string' }, signature: { type: 'string' } },
    }).values
    if ((sign === undefined) !== (signature === undefined)) throw new UsageError('--sign and --signature belong together.')
    if (signature !== undefined && !/^0x([0-9a-fA-F]{2}){1,4096}$/.test(signature))
      throw new UsageError('--signature is 0x and hex digits.')
    const chains = configuredEvmChains(env)
    await withDatabase(env, async (sql) => {
      if (sign === undefined) {
        const { approvals } = await openApprovals(sql)
        if (approvals.length === 0) say('No move waits for a signature.')
        for (const { digest, chainId, orderId, guard, typedData, deadline } of approvals)
          say(
            `move ${digest}\n  order ${orderId}, chain ${chainId}, guard ${guard}, until ${deadline.toISOString()}\n  ${JSON.stringify(typedData)}`,
          )
        return
      }
      const rpcOf = (id: number) => {
        const chain = chains.find(({ chainId }) => chainId === id)
        return chain && createRpc(chain.chainId, chain.rpcUrls, chain.timeoutMs)
      }
      const result = await signApproval({ sql, rpcOf }, { digest: sign, signature: signature as Hex }, AbortSignal.timeout(30_000))
      switch (result.state) {
        case 'signed':
          return say(`signed  ${sign}`)
        case 'unknown':
          throw new Error(`No move ${sign} waits for a signature: guard-moves lists those that do.`)
        case 'not_configured':
          throw new Error(`Chain ${result.approval.chainId} is not in TILL_CHAINS, so the signature cannot be verified.`)
        case 'not_accepted':
          throw new Error(`The guard ${result.approval.guard} does not accept this signature for ${sign}. Nothing was changed.`)
        default:
          return result satisfies never
      }
    })
  },
}
