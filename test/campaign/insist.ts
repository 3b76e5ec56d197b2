import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, Refused } from '../support/client/client.ts'

const pauseMs = 50
const patienceMs = 90_000

/** A caller retries after a refused or cut connection, a retryable status, and a timestamp that a wrong clock rejected. */
const passes = (error: unknown): boolean =>
  error instanceof Refused ? error.status >= 500 || error.status === 429 || error.status === 401 : error instanceof TypeError

/** Acts as a merchant's program that retries until it is answered. Answers that must never happen are recorded in `crashes`. */
export function retryUntilAnswered(client: Client): Client & { readonly crashes: readonly string[] } {
  const crashes: string[] = []
  return {
    ...client,
    crashes,
    async ask(name, sent) {
      const repeatable = name.startsWith('create') ? { ...sent, headers: { 'idempotency-key': randomUUID(), ...sent?.headers } } : sent
      for (const began = performance.now(); ; await sleep(pauseMs)) {
        try {
          return await client.ask(name, repeatable)
        } catch (error) {
          if (error instanceof Refused && error.status === 500)
            crashes.push(`${name}: ${error.message} ${JSON.stringify(error.answer.details)}`)
          if (!passes(error) || performance.now() - began > patienceMs) throw error
        }
      }
    },
  }
}
