import { erc20Abi } from 'viem'
import { describe, expect, it } from 'vitest'
import { TestReceiver } from '../../server/chains/evm/contracts/artifacts/TestReceiver.ts'
import { createEvmChain } from '../../server/chains/evm/create-evm-chain.ts'
import { chainContract } from '../contracts/chain.ts'
import { alice, bob, signal, startTestChain, type TestChain } from './support.ts'

let test: TestChain

chainContract('EVM on anvil', async () => {
  test = await startTestChain()
  return {
    chain: test.chain,
    token: test.token('USDC'),
    payer: alice.address,
    pay: (token, to, amount) => {
      const symbol = test.config.tokens.find((each) => each.address === token)!.symbol
      return token === null ? test.sendNative(alice, to, amount) : test.sendToken(alice, symbol, to, amount)
    },
    payInVain: async (_to, amount) => {
      const refusing = await test.deploy(TestReceiver, [1])
      return test.call(alice, { address: refusing, abi: erc20Abi, functionName: 'transfer', args: [bob.address, 1n], value: amount })
    },
    mine: test.mine,
    reorg: test.reorg,
    stop: test.stop,
  }
})

describe('EVM chain on its own', () => {
  it('finds every configured token, whatever it returns, in one range', async () => {
    const own = await startTestChain()
    try {
      const to = own.chain.depositAddress('tokens')
      const from = (await own.chain.head(signal)).number + 1
      for (const symbol of ['USDC', 'USDT', 'DAI']) await own.sendToken(alice, symbol, to, 4n)
      const { transfers } = await own.chain.scan(from, (await own.chain.head(signal)).number, signal)
      expect(transfers.map(({ token }) => token)).toEqual(['USDC', 'USDT', 'DAI'].map(own.token))
    } finally {
      await own.stop()
    }
  })

  it('ignores transfers of nothing, which is how addresses are poisoned', async () => {
    const own = await startTestChain()
    try {
      const from = (await own.chain.head(signal)).number + 1
      await own.sendToken(alice, 'USDC', own.chain.depositAddress('poison'), 0n)
      await own.sendToken(alice, 'USDC', alice.address, 5n)
      expect((await own.chain.scan(from, from + 1, signal)).transfers).toEqual([])
    } finally {
      await own.stop()
    }
  })

  it('error: checkFactory says in one sentence what is wrong', async () => {
    const own = await startTestChain()
    try {
      await own.chain.checkFactory(signal)
      const elsewhere = createEvmChain({ ...own.config, factory: { ...own.config.factory, address: alice.address } })
      await expect(elsewhere.checkFactory(signal)).rejects.toThrow(/has no factory at/)
      const otherCode = createEvmChain({ ...own.config, factory: { ...own.config.factory, address: own.token('USDC') } })
      await expect(otherCode.checkFactory(signal)).rejects.toThrow(/other code than our factory/)
      const stranger = createEvmChain({ ...own.config, operator: { kind: 'local', privateKey: bob.private_key } })
      await expect(stranger.checkFactory(signal)).rejects.toThrow(/is not an operator of the factory/)
      const otherChain = createEvmChain({ ...own.config, chainId: 10 })
      await expect(otherChain.checkFactory(signal)).rejects.toThrow(/serves chain 8453/)
    } finally {
      await own.stop()
    }
  })
})
