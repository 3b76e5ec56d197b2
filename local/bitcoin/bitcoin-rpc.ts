import * as z from 'zod'

/** Calls a Bitcoin node's JSON-RPC. */
export interface BitcoinRpc {
  /** Rejects with a BitcoinRpcError if the node refuses. */
  call<T>(method: string, params: readonly unknown[], answer: z.ZodType<T>): Promise<T>
}

export class BitcoinRpcError extends Error {
  override readonly name = 'BitcoinRpcError'
  readonly code: number
  constructor(method: string, code: number, message: string) {
    super(`${method}: ${message}`)
    this.code = code
  }
}

const Reply = z.union([
  z.object({ error: z.object({ code: z.number(), message: z.string() }) }),
  z.object({ error: z.null(), result: z.unknown() }),
])

/** Nodes write bitcoins with eight digits. Up to the most that exists such a number is exact, and `toFixed` restores its digits. */
export const Amount = z.number().transform((coins) => BigInt(coins.toFixed(8).replace('.', '')))

/** The URL contains the credentials. */
export function createBitcoinRpc(url: string): BitcoinRpc {
  const { origin, pathname, username, password } = new URL(url)
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')
  return {
    async call(method, params, answer) {
      const response = await fetch(`${origin}${pathname}`, {
        method: 'POST',
        headers: { authorization: `Basic ${credentials}`, 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '1.0', id: 1, method, params }),
      })
      if (response.status === 401 || response.status === 403)
        throw new Error(`The Bitcoin node at ${origin} refuses the credentials (${response.status}).`)
      const reply = Reply.parse(await response.json())
      if (reply.error) throw new BitcoinRpcError(method, reply.error.code, reply.error.message)
      return answer.parse(reply.result)
    },
  }
}
