import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The ways in which a chain's node misbehaves towards the service. */
export type Behavior =
  | { readonly is: 'fair' }
  | { readonly is: 'silent' }
  | { readonly is: 'failing' }
  | { readonly is: 'dropping' }
  /** The node lags behind. With `everySecond`, only every second answer does, as behind a load balancer with one bad node. */
  | { readonly is: 'behind'; readonly blocks: number; readonly everySecond: boolean }
  | { readonly is: 'frozen' }
  /** The node reports a head that no other node has. */
  | { readonly is: 'ahead'; readonly blocks: number }
  /** The node follows a fork of its own above a block, on which nothing is paid but `log`. */
  | { readonly is: 'forked'; readonly above: number; readonly log: Readonly<Record<string, unknown>> }

/** A proxy between the service and a real chain's node that misbehaves on request. */
export interface Node {
  readonly url: string
  /** Starts misbehaving. The returned function ends it and says how many calls were affected. */
  become(behavior: Behavior): () => number
  close(): Promise<void>
}

interface Call {
  readonly id: unknown
  readonly method: string
  readonly params?: readonly unknown[]
}

interface Answer {
  readonly id: unknown
  readonly result?: unknown
}

export async function startNode(chainUrl: string): Promise<Node> {
  let behavior: Behavior = { is: 'fair' }
  let met = 0
  let frozenAt: Promise<number> | undefined
  const silent = new Set<ServerResponse>()

  const ask = async (body: string): Promise<unknown> =>
    (await fetch(chainUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).json()
  const headNumber = async (): Promise<number> =>
    Number(((await ask('{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}')) as Answer).result)

  /** Answers as a node that has seen no block above `last`. */
  const answerUpTo = async (calls: readonly Call[], last: number): Promise<readonly Answer[]> => {
    const shown = calls.map((call) => ({ ...call, params: call.params?.map((param) => (param === 'latest' ? hex(last) : param)) }))
    const answers = (await ask(JSON.stringify(shown))) as readonly Answer[]
    const isAbove = (number: unknown) => typeof number === 'string' && Number(number) > last
    return answers.map((answer) => {
      const call = calls.find(({ id }) => id === answer.id)
      const { result } = answer as { result?: Readonly<Record<string, unknown>> | null }
      if (call?.method === 'eth_blockNumber') return { ...answer, result: hex(last) }
      if (call?.method === 'eth_getBlockByNumber' && isAbove(result?.number)) return { ...answer, result: null }
      if (call?.method === 'eth_getTransactionReceipt' && isAbove(result?.blockNumber)) return { ...answer, result: null }
      return answer
    })
  }
  /** Answers with block numbers that are too high and hashes that do not exist. */
  const answerAhead = async (calls: readonly Call[], blocks: number): Promise<readonly Answer[]> => {
    const answers = (await ask(JSON.stringify(calls))) as readonly Answer[]
    return answers.map((answer) => {
      const call = calls.find(({ id }) => id === answer.id)
      const { result } = answer
      if (call?.method === 'eth_blockNumber') return { ...answer, result: hex(Number(result) + blocks) }
      if (call?.method !== 'eth_getBlockByNumber' || call.params?.[0] !== 'latest') return answer
      const head = result as Readonly<Record<string, unknown>>
      const number = Number(head.number) + blocks
      return { ...answer, result: { ...head, number: hex(number), hash: made(number), parentHash: made(number - 1) } }
    })
  }

  /** Answers with other hashes for the blocks above `above`, which contain no transactions, and with one log in the first of them. */
  const answerForked = async (
    calls: readonly Call[],
    above: number,
    log: Readonly<Record<string, unknown>>,
  ): Promise<readonly Answer[]> => {
    const answers = (await ask(JSON.stringify(calls))) as readonly Answer[]
    return answers.map((answer) => {
      const call = calls.find(({ id }) => id === answer.id)
      if (call?.method === 'eth_getLogs') {
        const logs = answer.result as readonly { blockNumber: string }[]
        const [{ fromBlock, toBlock }] = call.params as [{ fromBlock: string; toBlock: string }]
        const invented = { ...log, blockNumber: hex(above + 1), blockHash: made(above + 1), removed: false }
        const isInRange = Number(fromBlock) <= above + 1 && Number(toBlock) > above
        return { ...answer, result: [...logs.filter(({ blockNumber }) => Number(blockNumber) <= above), ...(isInRange ? [invented] : [])] }
      }
      const block = answer.result as Readonly<Record<string, unknown>> | null
      const number = Number(block?.number)
      if (call?.method !== 'eth_getBlockByNumber' || !block || number <= above) return answer
      const parentHash = number === above + 1 ? block.parentHash : made(number - 1)
      return { ...answer, result: { ...block, hash: made(number), parentHash, transactions: [] } }
    })
  }

  const answer = async (body: string, response: ServerResponse): Promise<void> => {
    if (behavior.is !== 'fair') met++
    const parsed = JSON.parse(body) as Call | readonly Call[]
    const calls = Array.isArray(parsed) ? (parsed as readonly Call[]) : [parsed as Call]
    const respond = (answers: readonly Answer[]) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(Array.isArray(parsed) ? answers : answers[0]))
    switch (behavior.is) {
      case 'fair':
        return void respond((await ask(JSON.stringify(calls))) as readonly Answer[])
      case 'silent':
        return void silent.add(response)
      case 'failing':
        return void (met % 2
          ? response.writeHead(503).end()
          : respond(calls.map(({ id }) => ({ id, error: { code: -32005, message: 'limit exceeded' } }))))
      case 'dropping':
        return void response.destroy()
      case 'behind': {
        if (behavior.everySecond && met % 2) return void respond((await ask(JSON.stringify(calls))) as readonly Answer[])
        return void respond(await answerUpTo(calls, Math.max(1, (await headNumber()) - behavior.blocks)))
      }
      case 'frozen':
        return void respond(await answerUpTo(calls, await (frozenAt ??= headNumber())))
      case 'ahead':
        return void respond(await answerAhead(calls, behavior.blocks))
      case 'forked':
        return void respond(await answerForked(calls, behavior.above, behavior.log))
      default:
        return behavior satisfies never
    }
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      answer(Buffer.concat(chunks).toString(), response).catch(() => response.destroy())
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    become: (next) => {
      behavior = next
      met = 0
      frozenAt = undefined
      return () => {
        behavior = { is: 'fair' }
        for (const response of silent) response.destroy()
        silent.clear()
        return met
      }
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const hex = (number: number): string => `0x${number.toString(16)}`
const made = (number: number): string => `0x${'dead'.repeat(14)}${number.toString(16).padStart(8, '0')}`
