import type { Address as AddressType } from '@solana/kit'
import * as z from 'zod'
import type { Commitment as CommitmentType, Ledger } from './ledger.ts'
import { writeJson } from './rpc/answer.ts'
import { accountJson, type AccountEncoding, hasReached } from './rpc/encode.ts'
import { Address, codes, Commitment, Signature, withContext } from './rpc/method.ts'

/** One client's subscriptions. What it has subscribed to ends with its connection. */
export interface Subscriber {
  receive(text: string): void
  /** Tells the client what has changed since the last call. */
  update(): void
}

type Subscription =
  | { readonly kind: 'slot'; last: number }
  | { readonly kind: 'signature'; readonly signature: string; readonly commitment: CommitmentType }
  | {
      readonly kind: 'account'
      readonly address: AddressType
      readonly commitment: CommitmentType
      readonly encoding: AccountEncoding
      readonly dataSlice?: DataSlice | undefined
      last: object | undefined
    }

const Request = z.object({ id: z.union([z.string(), z.number()]).optional(), method: z.string(), params: z.array(z.unknown()).default([]) })
const DataSlice = z.object({ offset: z.int(), length: z.int() })
type DataSlice = z.output<typeof DataSlice>
const AccountOptions = z
  .object({ commitment: Commitment, encoding: z.enum(['base64', 'jsonParsed']).default('base64'), dataSlice: DataSlice.optional() })
  .prefault({})
const SignatureOptions = z.object({ commitment: Commitment }).prefault({})
const AccountParams = z.tuple([Address]).rest(z.unknown())
const SignatureParams = z.tuple([Signature]).rest(z.unknown())

let lastId = 0

export function subscriber(ledger: Ledger, send: (text: string) => void): Subscriber {
  const subscriptions = new Map<number, Subscription>()
  const notify = (name: string, subscription: number, result: unknown) =>
    send(writeJson({ jsonrpc: '2.0', method: name, params: { subscription, result } }))

  function subscribe(method: string, params: readonly unknown[]): Subscription | undefined {
    switch (method) {
      case 'slotSubscribe':
        return { kind: 'slot', last: ledger.tip('processed').slot }
      case 'accountSubscribe': {
        const [address] = AccountParams.parse(params)
        const options = AccountOptions.parse(params[1])
        return { kind: 'account', address, ...options, last: ledger.stateOf(address, options.commitment) }
      }
      case 'signatureSubscribe': {
        const [signature] = SignatureParams.parse(params)
        return { kind: 'signature', signature, ...SignatureOptions.parse(params[1]) }
      }
      default:
        return undefined
    }
  }

  function tell(id: number, subscription: Subscription): void {
    switch (subscription.kind) {
      case 'slot': {
        const { slot, parent } = ledger.tip('processed')
        if (slot === subscription.last) return
        subscription.last = slot
        return notify('slotNotification', id, { slot, parent: parent?.slot ?? 0, root: ledger.tip('finalized').slot })
      }
      case 'account': {
        const { address, commitment, encoding, dataSlice } = subscription
        // A client may have thousands of subscriptions, so what has not changed is not read.
        const state = ledger.stateOf(address, commitment)
        if (state === subscription.last) return
        subscription.last = state
        return notify(
          'accountNotification',
          id,
          withContext(ledger, commitment, accountJson(ledger.account(address, commitment), encoding, ledger, dataSlice)),
        )
      }
      case 'signature': {
        const found = ledger.landed(subscription.signature)
        if (!found || !hasReached(ledger, found, subscription.commitment)) return
        subscriptions.delete(id)
        return notify('signatureNotification', id, withContext(ledger, subscription.commitment, { err: found.error ?? null }))
      }
    }
  }

  const update = () => subscriptions.forEach((subscription, id) => tell(id, subscription))
  return {
    update,
    receive(text) {
      const { id, method, params } = Request.parse(JSON.parse(text))
      // Clients send pings, which want no answer.
      if (id === undefined) return
      const reply = (answer: object) => send(writeJson({ jsonrpc: '2.0', ...answer, id }))
      if (method.endsWith('Unsubscribe')) return reply({ result: subscriptions.delete(Number(params[0])) })
      const subscription = subscribe(method, params)
      if (!subscription) return reply({ error: { code: codes.unknownMethod, message: 'Method not found' } })
      const number = ++lastId
      subscriptions.set(number, subscription)
      reply({ result: number })
      tell(number, subscription)
    },
  }
}
