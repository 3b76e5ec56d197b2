import { concatHex, encodeFunctionData, erc20Abi, keccak256, padHex, stringToHex, type Address, type Hex } from 'viem'
import { merchant, operator, payers } from '../local/chains/accounts.ts'
import { settleBatchCall, settleCall, type Settling } from '../server/chains/evm/factory-calls.ts'
import { depositOf } from '../server/chains/evm/deposits.ts'
import { deterministicDeployer } from '../server/chains/evm/factory.ts'
import { termsAddress } from '../src/wire/terms/terms-hash.ts'
import { numberToHex } from '../server/chains/evm/rpc-calls.ts'
import type { TestChain } from '../test/chains/support.ts'
import type { Figure } from './figures.ts'
import type { Fixture } from './fixture.ts'

/** What an order's settlement cost before its terms were in its address. */
const formerGas = 108_000
const batchSize = 20
const collector = '0x00000000000000000000000000000000000000fe'

/** Measures the gas of settlements in a token of which the recipient has some, in parts, and compares it with what nobody can save. */
export async function gasFigures({ base }: Pick<Fixture, 'base'>): Promise<Figure[]> {
  const usdc = base.token('USDC')
  const [payer] = payers
  const give = (to: string, amount: bigint) => base.sendToken(payer!, 'USDC', to, amount)
  let count = 0
  const settling = async (fee: bigint): Promise<Settling> => {
    const { address, terms } = depositOf(base.config.factory.address, {
      orderId: `gas-${count++}`,
      destinations: [
        { chainId: 8453, token: usdc, recipient: merchant.address, feeCollector: collector, maxFeeBps: 100, maxFeeFlat: 500n },
        { chainId: 8453, token: null, recipient: merchant.address, feeCollector: collector, maxFeeBps: 100, maxFeeFlat: 500n },
        { chainId: 1, token: usdc, recipient: merchant.address, feeCollector: collector, maxFeeBps: 100, maxFeeFlat: 500n },
      ],
      releaseAt: 4_000_000_000,
    })
    await give(address, 10_000n + fee)
    return { terms, chainId: 8453, token: usdc, toRecipient: 10_000n, fee }
  }
  for (const account of [merchant.address, collector]) await give(account, 1n)
  await base.mine()

  const alone = await settling(0n)
  const again = { ...alone, toRecipient: 1n }
  const withShare = await settling(100n)
  const withFlat = await settling(500n)
  const batch = []
  for (let i = 0; i < batchSize; i++) batch.push(await settling(0n))
  await base.mine()

  const transfer = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [merchant.address as Address, 1n] })
  const bareTransfer = await gasOf(base, payer!.address, usdc, transfer)
  const bareCreate = await gasOf(base, operator.address, deterministicDeployer, bareInitCode())
  const first = await gasOf(base, operator.address, alone.terms.factory, settleCall(alone).data)
  await give(termsAddress(alone.terms), 1n)
  await base.mine()
  const second = await gasOf(base, operator.address, alone.terms.factory, settleCall(again).data)
  const share = await gasOf(base, operator.address, alone.terms.factory, settleCall(withShare).data)
  const flat = await gasOf(base, operator.address, alone.terms.factory, settleCall(withFlat).data)
  const many = await gasOf(base, operator.address, alone.terms.factory, settleBatchCall(batch.map(settleCall)).data)
  const figure = (what: string, till: number, plain: number, by: string, budget?: number): Figure => ({
    what,
    unit: 'gas',
    till,
    plain,
    by,
    ...(budget === undefined ? {} : { budget }),
  })
  return [
    figure('settle alone, no fee', first, formerGas, 'the former contract, without terms', 85_000),
    figure(`settle, each of ${batchSize}`, many / batchSize, formerGas, 'the former contract, one transaction each', 60_000),
    figure('part: creation of the address', first - second, bareCreate - 21_000, 'a CREATE2 of 56 bytes, without its transaction'),
    figure('part: terms, leg and transaction', second, bareTransfer, 'a bare transfer of the token'),
    figure('part: the fee’s leg', share - first, bareTransfer - 21_000, 'a bare transfer, without its transaction'),
    figure('part: ledger of the flat fee', flat - share, 22_100, 'one slot written for the first time'),
  ]
}

/** Code of 56 bytes, created through the deterministic deployer. */
function bareInitCode(): Hex {
  const salt = padHex(keccak256(stringToHex(`bare ${process.hrtime.bigint()}`)))
  // PUSH1 56, DUP1, PUSH1 9, RETURNDATASIZE, CODECOPY, RETURNDATASIZE, RETURN, then the code.
  return concatHex([salt, '0x60388060093d393df3', `0x${'5b'.repeat(56)}`])
}

async function gasOf({ anvil, mine }: TestChain, from: string, to: string, data: string): Promise<number> {
  const [, hash] = await anvil.ask(
    ['anvil_impersonateAccount', from],
    ['eth_sendTransaction', { from, to, data, gas: numberToHex(14_000_000n) }],
  )
  await mine()
  const [receipt] = await anvil.ask(['eth_getTransactionReceipt', hash])
  const { gasUsed, status } = receipt as { gasUsed: string; status: string }
  if (status !== '0x1') throw new Error(`a call of ${to} failed`)
  return Number(gasUsed)
}
