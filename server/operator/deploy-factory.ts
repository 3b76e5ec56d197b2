import { parseArgs } from 'node:util'
import type { EvmConfig } from '../chains/evm/evm-config.ts'
import { checkFactory } from '../chains/evm/check-factory.ts'
import { createRpc } from '../chains/evm/rpc.ts'
import { createSigner, localSigner, type Signer } from '../chains/evm/signer.ts'
import { missingSteps, type Step } from './factory-steps.ts'
import { sendStep } from './send-step.ts'
import { type Command, configuredEvmChains, type Env, type Say, UsageError } from './command.ts'

/** Prints the steps that the chains of TILL_CHAINS still need. With --send it sends those that the key allows, and can be repeated. */
export const deployFactory: Command = {
  usage: `deploy-factory [--send] [--revoke 0x…]
  Deploys the factory on every chain of TILL_CHAINS and authorises the operator there. Without --send it only prints what is missing.
  --revoke           an operator to remove; may be repeated
  TILL_DEPLOYER_KEY  a private key with some of each chain's coin. Transactions that only the owner may send are sent if it is the
                     owner's key, and otherwise printed, to be signed elsewhere.`,
  async run(args, env, say) {
    const options = { send: { type: 'boolean', default: false }, revoke: { type: 'string', multiple: true } } as const
    const { send, revoke = [] } = parseArgs({ args: [...args], options }).values
    const wrong = revoke.find((address) => !/^0x[0-9a-fA-F]{40}$/.test(address))
    if (wrong !== undefined) throw new UsageError(`--revoke takes an address, not ${JSON.stringify(wrong)}.`)
    const sender = send ? senderOf(env) : undefined
    const open = []
    for (const chain of configuredEvmChains(env)) open.push(...(await prepare(chain, revoke, sender, say)))
    if (open.length > 0 && send) throw new Error('The owner still has to sign what is printed above. Then run this again.')
  },
}

function senderOf(env: Env): Signer {
  const key = env.TILL_DEPLOYER_KEY ?? ''
  if (!/^0x[0-9a-fA-F]{64}$/.test(key)) throw new UsageError('TILL_DEPLOYER_KEY must hold a private key (0x and 64 hex digits).')
  return localSigner(key as `0x${string}`)
}

/** Returns the steps that were not sent. */
async function prepare(chain: EvmConfig, revoked: readonly string[], sender: Signer | undefined, say: Say): Promise<readonly Step[]> {
  const rpc = createRpc(chain.chainId, chain.rpcUrls, chain.timeoutMs)
  const operator = createSigner(chain).address
  say(`chain ${chain.chainId}: factory ${chain.factory.address}, owner ${chain.factory.owner}, operator ${operator}`)
  const left: Step[] = []
  for (const step of await missingSteps(rpc, chain, { operator, revoked }, AbortSignal.timeout(60_000))) {
    if (sender && (step.by === 'anyone' || sender.address === chain.factory.owner)) {
      const { hash, cost } = await sendStep(rpc, sender, step, chain.maxFeePerGas, AbortSignal.timeout(180_000))
      say(`  done: ${step.what} (${hash}, ${cost} wei)`)
      continue
    }
    left.push(step)
    say(`  to do, by ${step.by === 'owner' ? 'the owner' : 'anyone'}: ${step.what}\n    to   ${step.to}\n    data ${step.data}`)
  }
  if (left.length > 0) return left
  await checkFactory(rpc, chain, operator, AbortSignal.timeout(60_000))
  say('  ready')
  return left
}
