import { type Address, type Hex, keccak256, stringToBytes } from 'viem'
import { owner } from '../../local/chains/accounts.ts'
import { dollar, tokens } from '../../local/chains/tokens.ts'
import { TestDollar } from '../../server/chains/evm/contracts/artifacts/TestDollar.ts'
import { presetOf } from '../../server/chains/presets/presets.ts'
import { becomeLike } from '../chains/preset-chain.ts'
import type { TestChain } from '../chains/support.ts'

/** Makes a local chain answer as its preset says, with a USDC that moves. The holder gets a thousand of it. Returns its address. */
export async function placePresetTokens(chain: TestChain, holder: string): Promise<Address> {
  const { contracts, ...preset } = presetOf(chain.chain.id)
  // The local chain already has a Multicall3 that works.
  const { multicall3: _ours, ...others } = contracts
  await becomeLike(chain.anvil, { ...preset, contracts: others })
  const usdc = preset.tokens.find(({ symbol }) => symbol === 'USDC')!
  const address = usdc.address as Address
  const [code] = (await chain.anvil.ask(['eth_getCode', dollar.address, 'latest'])) as [Hex]
  // The compiler has put the hash of the name, which is part of the EIP-712 domain, into the code.
  const [own, real] = [tokens[0]!.eip3009!.name, usdc.eip3009?.name ?? tokens[0]!.eip3009!.name].map((name) =>
    keccak256(stringToBytes(name)).slice(2),
  )
  await chain.anvil.ask(['anvil_setCode', address, code.replace(own!, real!)])
  await chain.call(owner, { address, abi: TestDollar.abi, functionName: 'mint', args: [holder, 1_000_000_000n] })
  return address
}
