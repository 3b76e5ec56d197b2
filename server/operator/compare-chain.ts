import { decodeAbiParameters, toFunctionSelector, type Hex } from 'viem'
import { canonicalAddress } from '../../src/wire/addresses/canonical.ts'
import { isContract } from '../chains/evm/check-configuration.ts'
import { ChainMisconfigured } from '../chains/chain-misconfigured.ts'
import { compareTokens, type ComparedToken } from '../chains/evm/compare-tokens.ts'
import { deterministicDeployer } from '../chains/evm/factory.ts'
import { chainIdCall, codeCall, ethCall } from '../chains/evm/rpc-calls.ts'
import type { Rpc } from '../chains/evm/rpc.ts'
import type { Preset } from '../chains/presets/preset.ts'
import type { EvmConfig } from '../chains/evm/evm-config.ts'

/** One row of the table as the chain sees it: `ok`, or how it differs. `refused` stops the service's start. */
export interface Finding {
  readonly kind: 'ok' | 'differs' | 'refused'
  readonly message: string
}

/** Compares the configured tokens, and every row of the preset, with the chain. */
export async function compareChain(rpc: Rpc, config: EvmConfig, preset: Preset, signal: AbortSignal): Promise<Finding[]> {
  const [nodeChainId] = await rpc.read(signal, chainIdCall())
  if (nodeChainId !== config.chainId)
    throw new ChainMisconfigured(`The node configured for chain ${config.chainId} serves chain ${nodeChainId}.`)
  return [
    ...(await compareCode(rpc, preset, signal)),
    ...(await compareConfigured(rpc, config, signal)),
    ...(await compareOthers(rpc, config, preset, signal)),
    ...(await compareFeeds(rpc, preset, signal)),
  ]
}

/** Without Multicall3 no balance is read, so the service does not start. The others are used only by who deploys, or not yet. */
async function compareCode(rpc: Rpc, { contracts, sequencer }: Preset, signal: AbortSignal): Promise<Finding[]> {
  const rows = [
    { name: 'deterministic deployer', address: deterministicDeployer },
    ...Object.entries(contracts).map(([name, { address }]) => ({ name, address })),
    ...(sequencer ? [{ name: "the sequencer's uptime feed", address: sequencer.address }] : []),
  ]
  const codes = await rpc.read(signal, ...rows.map(({ address }) => codeCall(address)))
  return rows.map(({ name, address }, at) => {
    if (codes[at] !== '0x') return { kind: 'ok', message: `${name} ${address}` }
    return { kind: name === 'multicall3' ? 'refused' : 'differs', message: `${name} ${address} has no code` }
  })
}

async function compareConfigured(rpc: Rpc, { tokens }: EvmConfig, signal: AbortSignal): Promise<Finding[]> {
  return findingsOf(rpc, tokens.filter(isContract), 'refused', signal)
}

/** Tokens of the preset that the configuration does not use cannot harm it. */
async function compareOthers(rpc: Rpc, { chainId, tokens }: EvmConfig, preset: Preset, signal: AbortSignal): Promise<Finding[]> {
  const used = new Set(tokens.map(({ address }) => address))
  const others = preset.tokens.filter(isContract).filter(({ address }) => !used.has(canonicalAddress(chainId, address)))
  return findingsOf(rpc, others, 'differs', signal)
}

async function findingsOf(
  rpc: Rpc,
  tokens: readonly ComparedToken[],
  worst: 'refused' | 'differs',
  signal: AbortSignal,
): Promise<Finding[]> {
  const differences = await compareTokens(rpc, tokens, signal)
  return tokens.flatMap(({ symbol, address, decimals, eip3009 }, at): Finding[] => {
    const found = differences[at] ?? []
    if (found.length > 0) return found.map(({ message, isRefused }) => ({ kind: isRefused ? worst : 'differs', message }))
    return [{ kind: 'ok', message: `${symbol} ${address}, ${decimals} decimals${eip3009 ? ', EIP-3009' : ''}` }]
  })
}

const decimalsSelector = toFunctionSelector('decimals()')
const descriptionSelector = toFunctionSelector('description()')

async function compareFeeds(rpc: Rpc, { feeds }: Preset, signal: AbortSignal): Promise<Finding[]> {
  const calls = feeds.flatMap(({ address }) =>
    [decimalsSelector, descriptionSelector].map((data) => ethCall({ to: address, data }, 'latest')),
  )
  const answers = await rpc.attempt(signal, ...calls)
  return feeds.map(({ pair, address, decimals }, at) => {
    const [places, description] = answers.slice(at * 2, at * 2 + 2).map((answer) => ('value' in answer ? answer.value : '0x'))
    const isSame = textOf(description) === pair && places !== '0x' && BigInt(places ?? 0) === BigInt(decimals)
    return { kind: isSame ? 'ok' : 'differs', message: `feed ${pair} ${address}${isSame ? '' : ' is not that feed'}` }
  })
}

function textOf(data: Hex = '0x'): string | undefined {
  try {
    return decodeAbiParameters([{ type: 'string' }], data)[0]
  } catch {
    return undefined
  }
}
