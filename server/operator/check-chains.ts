import { parseArgs } from 'node:util'
import { createRpc } from '../chains/evm/rpc.ts'
import { presetOf } from '../chains/presets/presets.ts'
import { chains } from '../../src/wire/chain.ts'
import { createChain } from '../chains/create-chain.ts'
import { type ChainConfig, isEvm } from '../chains/table.ts'
import { type Command, configuredChains, type Say, UsageError } from './command.ts'
import { compareChain, type Finding } from './compare-chain.ts'

/** Compares TILL_CHAINS and the presets with the chains themselves. It only reads. */
export const checkChains: Command = {
  usage: `check-chains [--chain ID]
  Compares the chains of TILL_CHAINS, and what is known of them, with the chains: code, decimals, symbols, EIP-712 domains, price feeds.
  It sends nothing, and fails if something differs. What it calls "refused" stops the service's start.`,
  async run(args, env, say) {
    const { chain } = parseArgs({ args: [...args], options: { chain: { type: 'string' } } }).values
    const configs = configuredChains(env).filter(({ chainId }) => chain === undefined || String(chainId) === chain)
    if (configs.length === 0) throw new UsageError(`--chain ${chain} is not in TILL_CHAINS.`)
    const wrong = []
    for (const config of configs) wrong.push(...(await check(config, say)))
    const refused = wrong.filter(({ kind }) => kind === 'refused').length
    if (refused > 0) throw new Error(`${refused} of ${wrong.length} differences stop the service’s start.`)
    if (wrong.length > 0) throw new Error(`${wrong.length} ${wrong.length === 1 ? 'difference' : 'differences'}; the service starts.`)
  },
}

/** Returns what is not as the table says. */
async function check(config: ChainConfig, say: Say): Promise<readonly Finding[]> {
  if (!isEvm(config)) {
    await createChain(config).check(AbortSignal.timeout(60_000))
    say(`chain ${config.chainId}: ${chains[config.chainId].name}, its nodes are on this chain`)
    return []
  }
  const preset = presetOf(config.chainId)
  const rpc = createRpc(config.chainId, config.rpcUrls, config.timeoutMs)
  const { blockMs, name } = preset.chain
  const wait = blockMs === undefined ? '' : `, about ${Math.ceil((config.confirmations * blockMs) / 1000)} s`
  say(`chain ${config.chainId}: ${name}, ${config.confirmations} confirmations${wait}`)
  const findings = await compareChain(rpc, config, preset, AbortSignal.timeout(60_000))
  for (const { kind, message } of findings) say(`  ${kind.padEnd(8)} ${message}`)
  for (const sentence of preset.leftOut) say(`  left out ${sentence}`)
  return findings.filter(({ kind }) => kind !== 'ok')
}
