import { pause } from '../lib/pause.ts'

export const isCode = (error: unknown, ...codes: string[]): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && codes.includes(String(error.code))

/** The database does not answer, or is starting or stopping. Whatever was asked of it may be asked again. */
export const isDatabaseUnreachable = (error: unknown): boolean =>
  isCode(
    error,
    'CONNECTION_CLOSED',
    'CONNECTION_ENDED',
    'CONNECTION_DESTROYED',
    'CONNECT_TIMEOUT',
    'ECONNREFUSED',
    'ECONNRESET',
    '57P01',
    '57P02',
    '57P03',
    '53300',
  )

const waitForMs = 60_000

/** Repeats the work while the database cannot be reached, for a minute at most: a service may start before its database has. */
export async function whenReachable<T>(work: () => Promise<T>, onFailure: (error: unknown) => void): Promise<T> {
  const began = performance.now()
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isDatabaseUnreachable(error) || performance.now() - began > waitForMs) throw error
      onFailure(error)
      await pause(500)
    }
  }
}
