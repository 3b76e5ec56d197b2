import { expect, test } from 'vitest'
import { signCallback, type CallbackResult } from '../../server/providers/callback.ts'

/** Every provider's callbacks must pass these checks before they are trusted. */
export interface CallbackStage {
  readonly secret: string
  readonly provider: { read(header: string | undefined, body: Uint8Array, now: number): CallbackResult<unknown> }
  /** A valid payload. */
  readonly good: object
  /** The same payload with an invalid member. */
  readonly bad: object
}

const now = Date.parse('2026-05-12T12:00:00Z')
const bytesOf = (value: unknown) => new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value))

export function callbackContract(stage: () => CallbackStage): void {
  const read = (body: Uint8Array, header: string | undefined, at = now) => stage().provider.read(header, body, at).is

  test('default: a callback signed now, by the secret, over the exact bytes is accepted', () => {
    const { secret, good, provider } = stage()
    const body = bytesOf(good)
    expect(provider.read(signCallback(secret, body, now), body, now)).toEqual({ is: 'valid', payload: good })
  })

  test('error: an unsigned, forged, changed, early or late callback is not authenticated', () => {
    const { secret, good } = stage()
    const body = bytesOf(good)
    const header = signCallback(secret, body, now)
    expect(read(body, undefined)).toBe('unsigned')
    expect(read(body, signCallback(`${secret}x`, body, now))).toBe('unsigned')
    expect(read(bytesOf(`${JSON.stringify(good)} `), header)).toBe('unsigned')
    for (const other of ['', 't=1', header.toUpperCase(), `${header},v1=00`, header.replace(/t=\d+/, 't=1')])
      expect(read(body, other)).toBe('unsigned')
    expect(read(body, header, now + 300_000)).toBe('valid')
    expect(read(body, header, now + 301_000)).toBe('unsigned')
    expect(read(body, header, now - 301_000)).toBe('unsigned')
  })

  test('error: a signed callback that cannot be parsed is malformed, with a sentence', () => {
    const { secret, bad } = stage()
    for (const body of [bytesOf(bad), bytesOf('{'), bytesOf('[]'), new Uint8Array([0xff, 0xfe])])
      expect(read(body, signCallback(secret, body, now))).toBe('malformed')
  })
}
