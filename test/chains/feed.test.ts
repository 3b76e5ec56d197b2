import { encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { createEvmChain } from '../../server/chains/evm/create-evm-chain.ts'
import { TestReceiver } from '../../server/chains/evm/contracts/artifacts/TestReceiver.ts'
import { transferTopic } from '../../server/chains/evm/transfers.ts'
import { type Behavior, startNode } from '../campaign/node.ts'
import { feedContract, type Misbehavior } from '../contracts/feed.ts'
import { alice, startTestChain, signal } from './support.ts'

const needed = 3

feedContract('EVM on anvil', async () => {
  const testChain = await startTestChain({ confirmations: needed, pollMs: 5 })
  const { anvil, token, mine } = testChain
  const refusing = (await testChain.deploy(TestReceiver, [1])) as Hex
  await testChain.automine(false)
  const node = await startNode(anvil.rpcUrl)
  // Ranges are short, so that a service that was away for long needs several.
  const chain = createEvmChain({ ...testChain.config, rpcUrls: [node.url], timeoutMs: 4_000, maxRange: 4 })
  const payer = privateKeyToAccount(alice.private_key)
  const signed = new Map<string, Hex>()
  let orders = 0

  const send = async (call: { to: Hex; value?: bigint; data?: Hex }): Promise<string> => {
    const [nonce] = await anvil.ask(['eth_getTransactionCount', payer.address, 'pending'])
    const raw = await payer.signTransaction({
      ...call,
      chainId: anvil.chainId,
      nonce: Number(nonce),
      gas: 200_000n,
      maxFeePerGas: 10n ** 11n,
      maxPriorityFeePerGas: 1n,
    })
    const [hash] = await anvil.ask(['eth_sendRawTransaction', raw])
    signed.set(hash as string, raw)
    return hash as string
  }
  const behaviorOf = async (how: Misbehavior, to: string): Promise<Behavior> => {
    switch (how) {
      case 'behind':
        return { is: 'behind', blocks: 2, everySecond: false }
      case 'behind every second time':
        return { is: 'behind', blocks: 2, everySecond: true }
      case 'ahead':
        return { is: 'ahead', blocks: 3 }
      case 'forked': {
        const topic = (address: string) => `0x${address.slice(2).toLowerCase().padStart(64, '0')}`
        const invented = {
          address: token('USDC'),
          topics: [transferTopic, topic(payer.address), topic(to)],
          data: `0x${(1000).toString(16).padStart(64, '0')}`,
          transactionHash: `0x${'ee'.repeat(32)}`,
          logIndex: '0x0',
        }
        return { is: 'forked', above: (await chain.head(signal)).number, log: invented }
      }
      default:
        return { is: how }
    }
  }

  return {
    chain,
    needed,
    token: token('USDC'),
    unit: 1n,
    keepsWaiting: false,
    newAddress: () => testChain.depositAddress(`feed-${orders++}`),
    pay: (paid, to, amount) =>
      paid === null
        ? send({ to: to as Hex, value: amount })
        : send({ to: paid as Hex, data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to as Hex, amount] }) }),
    payInVain: async () => ({ txHash: await send({ to: refusing, value: 9n, data: '0xdeadbeef' }), to: refusing }),
    mine,
    reorg: testChain.reorg,
    sendAgain: async (hash) => void (await anvil.ask(['eth_sendRawTransaction', signed.get(hash)])),
    abandon: async () => undefined,
    misbehave: async (how, to) => node.become(await behaviorOf(how, to)),
    stop: async () => {
      await node.close()
      await testChain.stop()
    },
  }
})
