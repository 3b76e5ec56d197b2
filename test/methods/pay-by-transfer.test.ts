// @vitest-environment happy-dom
import { beforeEach, expect, test, vi } from 'vitest'
import type { FlowPorts } from '../../src/methods/method.ts'
import { payByTransfer, type Plan } from '../../src/methods/wallet/pay-by-transfer.ts'
import { runFlow } from '../../src/model/running-flow.ts'
import * as orders from '../support/orders/orders.ts'

/** Sends the rest of an order from a wallet. A transfer has no x402 nonce that would make a second request safe. */

const [account, otherAccount] = ['0x1111111111111111111111111111111111111111', '0x2222222222222222222222222222222222222222'] as const
const base = '0x2105'

interface Question {
  readonly params: readonly unknown[]
  answer(hash: string): void
  refuse(): void
}

/** A wallet whose requests the test answers. */
function createWallet() {
  const questions: Question[] = []
  const state = { chain: base, accounts: [account] as readonly string[] }
  const request = vi.fn(async ({ method, params }: { method: string; params?: unknown }): Promise<unknown> => {
    switch (method) {
      case 'eth_chainId':
        return state.chain
      case 'eth_accounts':
      case 'eth_requestAccounts':
        return state.accounts
      case 'eth_sendTransaction':
        return new Promise((resolve, reject) =>
          questions.push({
            params: params as unknown[],
            answer: resolve,
            refuse: () => reject(Object.assign(new Error('no'), { code: 4001 })),
          }),
        )
      default:
        throw new Error(`not here: ${method}`)
    }
  })
  const wallet = { rdns: 'example.wallet', name: 'Wallet', provider: { request }, usedBefore: false }
  const plan: Plan = {
    wallet,
    connection: { from: account } as never,
    rest: { to: orders.depositAddress, due: { raw: 22_500_000n, currency: orders.usdc } },
    fee: undefined,
  }
  return { questions, state, plan }
}

let made = 0
let ports: FlowPorts
beforeEach(() => {
  const order = { ...orders.partial(), id: `ord_rest_${++made}` }
  ports = { api: { findTransaction: vi.fn(async () => ({ found: true })) }, order: () => order, refresh: async () => {} } as never
})

const start = () => runFlow(payByTransfer, async () => ports)
async function openQuestion({ questions }: ReturnType<typeof createWallet>, count: number) {
  await expect.poll(() => questions).toHaveLength(count)
  return questions[count - 1]!
}

test('default: sends the amount due to the address, on its own network', async () => {
  const wallet = createWallet()
  const flow = start()
  void flow.run({ do: 'send', plan: wallet.plan })
  const question = await openQuestion(wallet, 1)
  expect(question.params).toEqual([expect.objectContaining({ from: account, to: orders.usdc.address, chainId: base })])
  question.answer(orders.hash)
  await expect.poll(() => flow.step.value).toEqual({ at: 'sent', hash: orders.hash })
})

test('behavior: while one wallet has an open request no other gets one, and its answer counts for both', async () => {
  const [first, second] = [createWallet(), createWallet()]
  const flow = start()
  void flow.run({ do: 'send', plan: first.plan })
  const question = await openQuestion(first, 1)
  void flow.run({ do: 'send', plan: second.plan })
  await expect.poll(() => second.plan.wallet.provider.request).toHaveBeenCalled()
  await expect.poll(() => flow.step.value).toMatchObject({ at: 'asking', plan: { wallet: first.plan.wallet } })
  question.answer(orders.hash)
  await expect.poll(() => flow.step.value).toEqual({ at: 'sent', hash: orders.hash })
  expect(second.questions).toHaveLength(0)
})

test('behavior: two taps make one request', async () => {
  const wallet = createWallet()
  const flow = start()
  void flow.run({ do: 'send', plan: wallet.plan })
  void flow.run({ do: 'send', plan: wallet.plan })
  const question = await openQuestion(wallet, 1)
  question.answer(orders.hash)
  await expect.poll(() => flow.step.value).toEqual({ at: 'sent', hash: orders.hash })
  expect(wallet.questions).toHaveLength(1)
})

test('behavior: a transfer sent after the payer left the screen is not sent again', async () => {
  const wallet = createWallet()
  const flow = start()
  void flow.run({ do: 'send', plan: wallet.plan })
  const question = await openQuestion(wallet, 1)
  flow.stop()
  question.answer(orders.hash)
  const later = start()
  void later.run({ do: 'send', plan: wallet.plan })
  await expect.poll(() => later.step.value).toEqual({ at: 'sent', hash: orders.hash })
  expect(wallet.questions).toHaveLength(1)
})

test('behavior: a rejected request may be made again', async () => {
  const wallet = createWallet()
  const flow = start()
  void flow.run({ do: 'send', plan: wallet.plan })
  ;(await openQuestion(wallet, 1)).refuse()
  await expect.poll(() => flow.step.value).toMatchObject({ at: 'plan', needs: 'send', notice: { code: 'rejected' } })
  void flow.run({ do: 'send', plan: wallet.plan })
  ;(await openQuestion(wallet, 2)).answer(orders.hash)
  await expect.poll(() => flow.step.value).toEqual({ at: 'sent', hash: orders.hash })
})

test('behavior: a wallet that left the network is switched back before anything is sent', async () => {
  const wallet = createWallet()
  wallet.state.chain = '0x1'
  const flow = start()
  await flow.run({ do: 'send', plan: wallet.plan })
  expect(flow.step.value).toMatchObject({ at: 'plan', needs: 'switch' })
  expect(wallet.questions).toHaveLength(0)
})

test('behavior: another account is shown before anything is sent from it', async () => {
  const wallet = createWallet()
  wallet.state.accounts = [otherAccount]
  const flow = start()
  await flow.run({ do: 'send', plan: wallet.plan })
  expect(flow.step.value).toMatchObject({ at: 'plan', plan: { connection: { from: otherAccount } }, notice: { code: 'account' } })
  expect(wallet.questions).toHaveLength(0)
})
