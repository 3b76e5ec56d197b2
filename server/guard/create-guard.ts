import * as z from 'zod/mini'
import type { OrderTerms } from '../../src/wire/terms/order-terms.ts'
import type { GuardBudget, GuardLimit } from '../chains/guard-policy.ts'
import { type Guard, GuardRefused, type GuardRequest } from '../chains/guard.ts'
import { type Claim, type GuardLedger, moveName, nonceOf } from './ledger.ts'
import { clockDifferenceSeconds } from '../http/signature.ts'
import { ageSeconds, evidenceName, judgeMerchantRequest, longestRequestSeconds, MerchantRequest } from './merchant-request.ts'
import type { MoveSigner } from './move-signer.ts'
import { GuardNotYet } from './not-yet.ts'
import { type IsPriced, type PriceOf, type TokenPrice, worth, worthUp } from './prices.ts'
import type { GuardRules } from './rules.ts'
import { wrongShape } from './shape.ts'

/** What a guard knows of organisations by itself. */
export interface GuardOrganizations {
  /** Returns whose order this is, or undefined if the guard does not know. */
  ownerOf(terms: OrderTerms): Promise<string | undefined>
  secretOf(apiKey: string): Promise<{ readonly organizationId: string; readonly secret: string } | undefined>
}

export interface GuardParts {
  readonly signer: MoveSigner
  readonly rules: GuardRules
  readonly organizations: GuardOrganizations
  readonly priceOf: PriceOf
  readonly isPriced: IsPriced
  readonly ledger: GuardLedger
  readonly clock: () => number
}

/** A signature that is never used works no longer than this. */
const longestSeconds = 86_400n

/**
 * A guard that decides by itself and without a person:
 *
 * 1. What it would never sign is refused, whoever asks (`wrongShape`).
 * 2. What it has signed before is signed again, for the same nonce and the same move.
 * 3. A refund for the merchant needs the merchant's own signed request; a conversion has to yield what the guard's own prices say.
 * 4. What may be lost is counted and recorded before anything is signed: a crash in between costs a part of the limit, and no money. What is
 *    over the limit of an hour is asked for again, and what no hour would allow is refused.
 */
export function createGuard(parts: GuardParts): Guard {
  const { signer, rules, ledger, clock } = parts
  return {
    address: signer.address,
    isMachine: true,
    async sign(request, signal) {
      const now = clock()
      const fault = wrongShape(request, signer.address, rules)
      if (fault) throw new GuardRefused(`The guard never signs this: ${fault}.`)
      // Either clock may be wrong for a while, so this is not refused for good.
      const secondsLeft = request.move.deadline - BigInt(Math.floor(now / 1000))
      if (secondsLeft <= 0n) throw new GuardNotYet('The deadline has passed: ask with a later one.')
      if (secondsLeft > longestSeconds) throw new GuardNotYet('The deadline is more than a day away: is a clock wrong?')
      const move = moveName(request)
      const known = await ledger.find(nonceOf(request))
      if (known !== undefined && known !== move) throw new GuardRefused(refusals.another_move)
      if (known === undefined) {
        const approved = await approve(parts, request, now)
        signal.throwIfAborted()
        const claim = await ledger.claim({ ...nonceOf(request), move, at: now, ...approved }, rules.limits[approved.budget])
        if (claim === 'over_the_limit') throw new GuardNotYet('This hour’s limit is used up.')
        if (claim !== 'recorded' && claim !== 'known') throw new GuardRefused(refusals[claim])
      }
      return signer.sign(request, signal)
    },
  }
}

const refusals: Readonly<Record<Extract<Claim, 'another_move' | 'evidence_used'>, string>> = {
  another_move: 'The guard never signs this: it has signed another move with this nonce.',
  evidence_used: 'The guard never signs this: the merchant’s request has approved another move.',
}

interface Approved {
  readonly organization: string
  readonly budget: GuardBudget
  readonly atRisk: bigint
  readonly evidence?: string
}

async function approve(parts: GuardParts, request: GuardRequest, now: number): Promise<Approved> {
  const { rules, organizations } = parts
  const owner = await organizations.ownerOf(request.terms)
  const asked = await budgetOf(parts, request, owner, now)
  const atRisk = await riskOf(parts, request)
  if (isNeverAllowed(rules.limits[asked.budget], atRisk)) throw new GuardRefused(tooMuch[asked.budget])
  // Nobody can choose the recipient of terms that exist, so money of one recipient is counted together where no organisation is known.
  const organization = owner ?? `recipient ${request.terms.default_recipient}`
  return { organization, atRisk, ...asked }
}

const isNeverAllowed = ({ perMove, perHour, perHourInAll }: GuardLimit, atRisk: bigint): boolean =>
  [perMove, perHour, perHourInAll].some((limit) => limit !== undefined && atRisk > limit)

const tooMuch: Readonly<Record<GuardBudget, string>> = {
  merchant: 'The guard never signs this: it is more than one refund may be worth.',
  merchant_partly:
    'The guard never signs this: it is more than one refund may be worth of which the merchant has not signed the amount, the currency and the recipient. A signature that covers a body with all three has another limit.',
  surplus: 'The guard never signs this: it is more than one surplus may be worth. The merchant can sign for a refund.',
  conversion: 'The guard never signs this: one conversion may not lose so much.',
}

async function budgetOf(
  parts: GuardParts,
  request: GuardRequest,
  owner: string | undefined,
  now: number,
): Promise<Pick<Approved, 'budget' | 'evidence'>> {
  switch (request.reason.kind) {
    case 'merchant':
      return merchantBudget(parts, request, owner, now)
    case 'surplus':
    case 'unconverted':
    case 'rescue':
      return { budget: 'surplus' }
    case 'conversion':
      return { budget: 'conversion' }
    default:
      return request.reason.kind satisfies never
  }
}

async function merchantBudget(
  parts: GuardParts,
  request: GuardRequest,
  owner: string | undefined,
  now: number,
): Promise<Pick<Approved, 'budget' | 'evidence'>> {
  const { rules, organizations } = parts
  const asked = z.safeParse(MerchantRequest, request.reason.evidence)
  if (!asked.success) throw new GuardRefused('The guard never signs this: the merchant’s request is missing.')
  const age = ageSeconds(asked.data, now)
  if (age > longestRequestSeconds) throw new GuardRefused('The guard never signs this: the merchant’s request is too old.')
  if (age < -clockDifferenceSeconds) throw new GuardNotYet('The merchant’s request is from the future: is a clock wrong?')
  const key = await organizations.secretOf(asked.data.api_key)
  if (!key) throw new GuardNotYet('The guard does not know the merchant’s API key.')
  if (owner === undefined) throw new GuardNotYet('The guard does not know whose order this is.')
  if (owner !== key.organizationId) throw new GuardRefused('The guard never signs this: the order belongs to another organisation.')
  const { decimals } = await priceIn(parts, request, request.move.tokenIn)
  const judged = judgeMerchantRequest(asked.data, { secret: key.secret, needsSignedBody: rules.needsSignedBody, decimals }, request)
  if ('fault' in judged) throw new GuardRefused(`The guard never signs this: ${judged.fault}.`)
  return { budget: judged.budget, evidence: evidenceName(asked.data) }
}

/** A rescue pays a recipient of the terms, in a token that nobody counts. */
async function riskOf(parts: GuardParts, request: GuardRequest): Promise<bigint> {
  if (request.reason.kind === 'rescue') {
    if (parts.isPriced(request.chainId, request.move.tokenIn))
      throw new GuardRefused('The guard never signs this: a rescue of a currency that is counted, which has to be refunded.')
    return 0n
  }
  return request.reason.kind === 'conversion' ? riskOfConversion(parts, request) : riskOfRefund(parts, request)
}

async function riskOfRefund(parts: GuardParts, request: GuardRequest): Promise<bigint> {
  const price = await priceIn(parts, request, request.move.tokenIn)
  const [, gas] = request.move.legs
  if (gas && worthUp(gas.amount, price) > parts.rules.gas)
    throw new GuardRefused('The guard never signs this: it keeps too much for its gas.')
  return worthUp(
    request.move.legs.reduce((sum, { amount }) => sum + amount, 0n),
    price,
  )
}

/** The recipient of the terms gets the output, so only the difference to what the input is worth may be lost. The factory caps the fee. */
async function riskOfConversion(parts: GuardParts, request: GuardRequest): Promise<bigint> {
  const { move } = request
  if (!move.conversion) return 0n
  const [into, out] = [
    worth(move.conversion.amountIn, await priceIn(parts, request, move.tokenIn)),
    worth(move.conversion.leastOut, await priceIn(parts, request, move.tokenOut)),
  ]
  const [given, got, under] = [into.over * out.under, out.over * into.under, into.under * out.under]
  if (got * 10_000n < given * BigInt(10_000 - parts.rules.toleranceBps))
    throw new GuardRefused('The guard never signs this: the conversion yields less than the guard’s own price allows.')
  return got >= given ? 0n : (given - got + under - 1n) / under
}

async function priceIn({ priceOf }: GuardParts, { chainId }: GuardRequest, token: string | null): Promise<TokenPrice> {
  const price = await priceOf(chainId, token)
  if (!price) throw new GuardNotYet('The guard has no price for this token now.')
  return price
}
