import { erc20Abi } from 'viem'
import { describe, expect, test } from 'vitest'
import { TestReceiver } from '../../server/chains/evm/contracts/artifacts/TestReceiver.ts'
import { createEvmChain } from '../../server/chains/evm/create-evm-chain.ts'
import { blockReaderContract } from '../contracts/block-reader.ts'
import { alice, bob, signal, startTestChain, type TestChain } from './support.ts'

let testChain: TestChain

blockReaderContract('EVM on anvil', async () => {
  testChain = await startTestChain()
  let addresses = 0
  return {
    chain: testChain.chain,
    token: testChain.token('USDC'),
    payer: alice.address,
    freshAddress: () => testChain.depositAddress(`contract-${addresses++}`),
    pay: (token, to, amount) => {
      const symbol = testChain.config.tokens.find((each) => each.address === token)!.symbol
      return token === null ? testChain.sendNative(alice, to, amount) : testChain.sendToken(alice, symbol, to, amount)
    },
    payInVain: async (_to, amount) => {
      const refusing = await testChain.deploy(TestReceiver, [1])
      return testChain.call(alice, { address: refusing, abi: erc20Abi, functionName: 'transfer', args: [bob.address, 1n], value: amount })
    },
    mine: testChain.mine,
    reorg: testChain.reorg,
    stop: testChain.stop,
  }
})

describe('EVM chain on its own', () => {
  test('behavior: finds transfers of every configured token in one range, whatever its transfer call returns', async () => {
    const own = await startTestChain()
    try {
      const to = own.depositAddress('tokens')
      const from = (await own.chain.head(signal)).number + 1
      for (const symbol of ['USDC', 'USDT', 'DAI']) await own.sendToken(alice, symbol, to, 4n)
      const { transfers } = await own.chain.scan(from, (await own.chain.head(signal)).number, signal)
      expect(transfers.map(({ token }) => token)).toEqual(['USDC', 'USDT', 'DAI'].map(own.token))
    } finally {
      await own.stop()
    }
  })

  test('behavior: ignores zero-value transfers, which are used for address poisoning', async () => {
    const own = await startTestChain()
    try {
      const from = (await own.chain.head(signal)).number + 1
      await own.sendToken(alice, 'USDC', own.depositAddress('poison'), 0n)
      await own.sendToken(alice, 'USDC', alice.address, 5n)
      expect((await own.chain.scan(from, from + 1, signal)).transfers).toEqual([])
    } finally {
      await own.stop()
    }
  })

  test('error: checkFactory says in one sentence what is wrong', async () => {
    const own = await startTestChain()
    try {
      await own.chain.checkFactory(signal)
      const elsewhere = createEvmChain({ ...own.config, factory: { ...own.config.factory, address: alice.address } })
      await expect(elsewhere.checkFactory(signal)).rejects.toThrow(/has no factory at/)
      const otherCode = createEvmChain({ ...own.config, factory: { ...own.config.factory, address: own.token('USDC') } })
      await expect(otherCode.checkFactory(signal)).rejects.toThrow(/other code than our factory/)
      const unauthorized = createEvmChain({ ...own.config, operator: { kind: 'local', privateKey: bob.private_key } })
      await expect(unauthorized.checkFactory(signal)).rejects.toThrow(/is not an operator of the factory/)
      const otherChain = createEvmChain({ ...own.config, chainId: 10 })
      await expect(otherChain.checkFactory(signal)).rejects.toThrow(/serves chain 8453/)
    } finally {
      await own.stop()
    }
  })
})
