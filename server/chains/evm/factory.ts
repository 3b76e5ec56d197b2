import { concatHex, encodeAbiParameters, getCreate2Address, type Address, type Hex } from 'viem'
import { TillFactory } from './contracts/artifacts/TillFactory.ts'

/** The deployment proxy is the same on every chain and has no owner. Its contracts' addresses depend only on the salt and the init code. */
export const deterministicDeployer = '0x4e59b44847b379578588920ca78fbf26c0b4956c'

const noSalt: Hex = `0x${'0'.repeat(64)}`

/** This code must be at the factory's address. The factory has no immutables, so its code is the same for every owner. */
export const factoryCode: Hex = TillFactory.deployedBytecode

export function deterministic(initCode: Hex): { readonly address: string; readonly to: string; readonly data: Hex } {
  const address = getCreate2Address({ from: deterministicDeployer, salt: noSalt, bytecode: initCode })
  return { address: address.toLowerCase(), to: deterministicDeployer, data: concatHex([noSalt, initCode]) }
}

/** An owner's factory has the same address on every chain. */
export function factoryOf(owner: string): ReturnType<typeof deterministic> {
  return deterministic(concatHex([TillFactory.bytecode, encodeAbiParameters([{ type: 'address' }], [owner as Address])]))
}
