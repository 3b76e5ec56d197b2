import type { Fault } from './faults.ts'

/** A payment to the honest organisation, timed by its payer with `performance.now()`. */
export interface HonestPayment {
  readonly kind: string
  readonly orderId?: string
  readonly begunAt: number
  /** When the payer broadcast or signed the last transfer. */
  readonly sentAt?: number
  /** When the merchant first knew that the order was COMPLETED. */
  readonly completedAt?: number
  readonly outcome: 'well' | 'failed' | 'lost' | 'doubled'
  readonly round: number
  /** It was made in a round without faults, which measures how long its kind takes. */
  readonly isQuiet: boolean
  /** It was made in a round whose faults excuse no delay. */
  readonly isPromised: boolean
}

export interface FaultPeriod {
  readonly kind: string
  readonly round: number
  readonly beganAt: number
  readonly endedAt: number
}

/** How one fault affected honest payers. */
export interface Met {
  readonly fault: string
  readonly outage: Fault['outage']
  /** Payments that were in flight during the fault. */
  readonly payments: number
  readonly failed: number
  readonly lost: number
  readonly doubled: number
  /** The median duration as a multiple of the fault-free time of its kind. */
  readonly median: number | undefined
  readonly worst: number | undefined
}

export interface Noticed {
  readonly quiet: ReadonlyMap<string, number>
  readonly met: readonly Met[]
  /** Payments in rounds where nothing excuses a delay: how many there were, and which were late. */
  readonly promised: number
  readonly late: readonly { readonly payment: HonestPayment; readonly ratio: number; readonly faults: readonly string[] }[]
  readonly failed: number
  readonly lost: number
  readonly doubled: number
}

/** A payment in a round without an excuse may take at most this multiple of the fault-free time of its kind. */
const maxDelayRatio = 3

export function noticedBy(
  payments: readonly HonestPayment[],
  periods: readonly FaultPeriod[],
  faults: Readonly<Record<string, Fault>>,
): Noticed {
  const quiet = new Map<string, number>()
  for (const kind of new Set(payments.map((payment) => payment.kind))) {
    const times = payments.filter((payment) => payment.isQuiet && payment.kind === kind).flatMap((payment) => tookMs(payment) ?? [])
    const typical = middle(times)
    if (typical !== undefined) quiet.set(kind, typical)
  }
  const ratioOf = (payment: HonestPayment): number | undefined => {
    const [took, usual] = [tookMs(payment), quiet.get(payment.kind)]
    return took === undefined || usual === undefined ? undefined : took / usual
  }
  const count = (some: readonly HonestPayment[], outcome: HonestPayment['outcome']) =>
    some.filter((payment) => payment.outcome === outcome).length
  const outcomes = (some: readonly HonestPayment[]) => ({
    failed: count(some, 'failed'),
    lost: count(some, 'lost'),
    doubled: count(some, 'doubled'),
  })
  const met = Object.keys(faults).flatMap((fault): Met[] => {
    const lasted = periods.filter(({ kind }) => kind === fault)
    if (lasted.length === 0) return []
    const some = payments.filter((payment) => lasted.some((period) => isUnderWay(payment, period)))
    const ratios = some.flatMap((payment) => ratioOf(payment) ?? [])
    const worst = ratios.length > 0 ? Math.max(...ratios) : undefined
    return [{ fault, outage: faults[fault]?.outage, payments: some.length, ...outcomes(some), median: middle(ratios), worst }]
  })
  const promised = payments.filter((payment) => payment.isPromised && ratioOf(payment) !== undefined)
  const late = promised
    .map((payment) => ({
      payment,
      ratio: ratioOf(payment) ?? 0,
      faults: periods.filter(({ round }) => round === payment.round).map(({ kind }) => kind),
    }))
    .filter(({ ratio }) => ratio > maxDelayRatio)
  return { quiet, met, promised: promised.length, late, ...outcomes(payments) }
}

const tookMs = ({ sentAt, completedAt }: HonestPayment): number | undefined =>
  sentAt === undefined || completedAt === undefined ? undefined : completedAt - sentAt

const isUnderWay = ({ begunAt, completedAt = Infinity, round }: HonestPayment, period: FaultPeriod): boolean =>
  // A payment that never completes counts as in flight only in its own round.
  begunAt <= period.endedAt && (completedAt === Infinity ? round === period.round : completedAt >= period.beganAt)

const middle = (values: readonly number[]): number | undefined => values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)]

/** Lists the late payments, one line each. */
export const tooLate = ({ late }: Noticed): readonly string[] =>
  late.map(
    ({ payment, ratio, faults }) =>
      `"${payment.kind}" in round ${payment.round} (${faults.join(', ')}) took ${seconds(tookMs(payment) ?? 0)}, ${ratio.toFixed(1)} × its quiet time: ${payment.orderId}`,
  )

export function writtenNoticed({ quiet, met, promised, late, failed, lost, doubled }: Noticed): string {
  const heading = 'what honest payers noticed'
  const width = Math.max(heading.length, ...[...quiet.keys()].map((kind) => kind.length), ...met.map(({ fault }) => fault.length))
  const cell = (value: number | undefined, digits: number) => (value === undefined ? '–' : value.toFixed(digits)).padStart(9)
  return [
    'quiet time of a payment, sent to COMPLETED',
    ...[...quiet].toSorted().map(([kind, ms]) => `  ${kind.padEnd(width)} ${seconds(ms).padStart(9)}`),
    `${heading.padEnd(width + 2)} ${['met', 'failed', 'lost', 'doubled', 'median ×', 'worst ×'].map((head) => head.padStart(9)).join('')}`,
    ...met.map(
      (each) =>
        `  ${each.fault.padEnd(width)} ${[each.payments, each.failed, each.lost, each.doubled].map((count) => cell(count, 0)).join('')}${cell(each.median, 1)}${cell(each.worst, 1)}${each.outage ? `  ${each.outage}` : ''}`,
    ),
    `${failed} failed, ${lost} lost, ${doubled} doubled; ${late.length} of ${promised} later than ${maxDelayRatio} × their quiet time in rounds without an outage`,
  ].join('\n')
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`
