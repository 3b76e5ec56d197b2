import type { Hex } from 'viem'
import * as z from 'zod/mini'
import { canonicalIn } from '../../src/wire/addresses/canonical.ts'
import { moveDigest } from '../chains/evm/move-digest.ts'
import { type Guard, GuardRefused } from '../chains/guard.ts'
import { withDeadline } from '../lib/with-deadline.ts'
import { checkedSignature } from './move-signer.ts'
import { GuardNotYet } from './not-yet.ts'
import { callOf, SignAnswer, SignError } from './sign-call.ts'

/** No answer, or one that does not match the contract. */
export class GuardUnavailable extends Error {
  override readonly name = 'GuardUnavailable'
  readonly code = 'guard_unavailable'
}

const timeoutMs = 10_000

/** A guard that is a process of its own, possibly on another machine. Its signature is verified, so a wrong one is never broadcast. */
export function remoteGuard(url: string, token: string, address: string): Guard {
  return {
    address: canonicalIn('evm', address),
    isMachine: true,
    async sign(request, signal) {
      const { status, json } = await post(`${url}/sign`, token, callOf(request), signal)
      if (status !== 200) throw errorOf(status, json)
      const answer = z.safeParse(SignAnswer, json)
      if (!answer.success) throw new GuardUnavailable('The guard’s answer has no signature.')
      return checkedSignature(moveDigest(request), answer.data.signature as Hex, address)
    },
  }
}

function errorOf(status: number, json: unknown): Error {
  const parsed = z.safeParse(SignError, json)
  if (!parsed.success) return new GuardUnavailable(`The guard answered with status ${status}.`)
  const { code, message } = parsed.data
  switch (code) {
    case 'refused':
      return new GuardRefused(message)
    case 'not_yet':
      return new GuardNotYet(message)
    case 'unauthorized':
    case 'invalid':
    case 'failed':
      return new GuardUnavailable(`The guard answered: ${message}`)
    default:
      return code satisfies never
  }
}

async function post(url: string, token: string, body: object, signal: AbortSignal): Promise<{ status: number; json: unknown }> {
  try {
    return await withDeadline(timeoutMs, signal, async (deadline) => {
      const response = await fetch(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        redirect: 'error',
        signal: deadline,
      })
      return { status: response.status, json: await response.json().catch(() => undefined) }
    })
  } catch (cause) {
    signal.throwIfAborted()
    throw new GuardUnavailable('The guard does not answer.', { cause })
  }
}
