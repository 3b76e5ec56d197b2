import { solanaChainId } from '../../../local/solana/start-local-solana.ts'
import type { Sql } from '../../../server/database/connect.ts'
import { type Booked, bookedIn, type Comparison, differ, type Payees, sumOf } from './books.ts'
import type { BalanceChange, IncludedTransaction } from './solana-history.ts'

/** What the chain says about the orders of a service, by their deposit addresses and the operator who pays the fees. */
export interface SolanaBooks {
  /** Counts, by order, the transactions that take its money and pay its merchant. */
  readonly timesSettled: ReadonlyMap<string, number>
  /** Each payment to a deposit address is recorded once, and nothing else is. */
  transfers(): Promise<Comparison>
  /** Deposit addresses hold, and payers have sent, what the ledger says. */
  deposits(): Promise<Comparison>
  /** Merchants, collectors and refunds got what the ledger says, nobody else got anything, and each transaction takes the money of its own order. */
  payees(): Promise<Comparison>
  /** The operator has paid for nothing but fees and accounts, and empty accounts of orders are closed. */
  operator(): Promise<Comparison>
  /** A confirmed payout was included once, and a failed one never. */
  payouts(): Promise<Comparison>
}

export interface SolanaParties {
  readonly operator: string
  readonly payees: readonly Payees[]
}

interface Asset {
  readonly token: string | null
}

const amountOf = (rows: readonly (Asset & { readonly amount: bigint })[], token: string | null): bigint =>
  sumOf(rows.filter((row) => row.token === token))

export async function solanaBooks(
  sql: Sql,
  history: readonly IncludedTransaction[],
  { operator, payees }: SolanaParties,
): Promise<SolanaBooks> {
  const orders = await sql<{ id: string; organization: string; address: string }[]>`
    select id, organization_id as organization, address from orders join deposits on order_id = id and family = 'solana' order by id`
  const orderAt = new Map(orders.map(({ id, address }) => [address, id]))
  const isOwn = ({ payer }: IncludedTransaction): boolean => payer === operator
  const included = history.filter(({ hasFailed }) => !hasFailed)
  const own = included.filter(isOwn)
  const tokens = [...new Set(included.flatMap(({ changes }) => changes.map(({ token }) => token)))]
  const arrived = included
    .filter((transaction) => !isOwn(transaction))
    .flatMap(({ signature, changes }) =>
      changes
        .filter(({ owner, amount }) => orderAt.has(owner) && amount > 0n)
        .map((change) => ({ ...change, key: `${signature}:${change.account}` })),
    )
  const paidOut = own.flatMap(({ changes }) => changes)
  const paidTo = (owner: string): readonly BalanceChange[] => paidOut.filter((change) => change.owner === owner)
  /** An order's money leaves its address only in these. */
  const ordersTakenFrom = ({ changes }: IncludedTransaction): readonly string[] => [
    ...new Set(changes.filter(({ amount }) => amount < 0n).flatMap(({ owner }) => orderAt.get(owner) ?? [])),
  ]
  const recipientOf = new Map(payees.map(({ organizationId, recipient }) => [organizationId, recipient]))
  const timesSettled = new Map(
    orders.map(({ id, organization }) => {
      const recipient = recipientOf.get(organization)
      const pays = ({ changes }: IncludedTransaction) => changes.some(({ owner, amount }) => owner === recipient && amount > 0n)
      return [id, own.filter((transaction) => ordersTakenFrom(transaction).includes(id) && pays(transaction)).length] as const
    }),
  )
  const booked = (...accounts: readonly string[]) => bookedIn(sql, solanaChainId, ...accounts)
  const attempts = await sql<{ signature: string; payout: string; order: string }[]>`
    select a.signature, p.id as payout, p.order_id as order from solana_attempts a join solana_payouts p on p.id = a.payout_id
    where a.chain_id = ${solanaChainId}`

  return {
    timesSettled,
    async transfers() {
      const rows = await sql<{ key: string; amount: string }[]>`
        select key, amount::text from transfers where chain_id = ${solanaChainId} and state <> 'dropped'`
      const recorded = new Map(rows.map(({ key, amount }) => [key, BigInt(amount)]))
      const there = new Set(arrived.map(({ key }) => key))
      const wrong = [
        ...arrived.flatMap(({ key, amount }) => differ(`transfer ${key}`, amount, recorded.get(key) ?? 'not on record')),
        ...rows.filter(({ key }) => !there.has(key)).map(({ key }) => `${key} is on record and not on the chain`),
      ]
      return { checked: arrived.length, wrong }
    },
    async deposits() {
      const [atDeposit, fromPayers] = [await booked('deposit'), await booked('payers')]
      const changes = included.flatMap((transaction) => transaction.changes)
      const inBooks = (rows: readonly Booked[], id: string, token: string | null) => amountOf(ofOrder(rows, id), token)
      const wrong = orders.flatMap(({ id, address }) =>
        tokens.flatMap((token) => [
          ...differ(`${id} holds of ${token}`, amountOf(ofOwner(changes, address), token), inBooks(atDeposit, id, token)),
          ...differ(`${id} was paid of ${token}`, amountOf(ofOwner(arrived, address), token), -inBooks(fromPayers, id, token)),
        ]),
      )
      return { checked: orders.length * tokens.length, wrong }
    },
    async payees() {
      const refunds = await sql<{ id: string; to: string }[]>`
        select distinct order_id as id, fact->'refund'->>'address' as to from facts where fact->>'type' = 'refund_planned'
          and fact->'refund'->'asset'->>'chainId' = ${String(solanaChainId)}`
      const [toRecipients, toCollectors] = [await booked('recipient'), await booked('fees', 'gas', 'collector')]
      const toPayers = await booked('refunds')
      const known = new Set([
        operator,
        ...orderAt.keys(),
        ...refunds.map(({ to }) => to),
        ...payees.flatMap(({ recipient, feeCollector }) => [recipient, feeCollector]),
      ])
      const orderOf = new Map(attempts.map(({ signature, order }) => [signature, order]))
      const ofOrganization = (rows: readonly Booked[], id: string) => rows.filter(({ organization }) => organization === id)
      const wrong = [
        ...own.flatMap((transaction) => {
          const order = orderOf.get(transaction.signature)
          const taken = ordersTakenFrom(transaction)
          if (order === undefined) return [`${transaction.signature} was signed by the service and is not on record`]
          return taken.length === 1 && taken[0] === order ? [] : [`${transaction.signature} of ${order} takes money of ${taken.join(', ')}`]
        }),
        ...paidOut.filter(({ owner, amount }) => amount > 0n && !known.has(owner)).map(({ owner }) => `${owner} is paid, whom nobody owes`),
        ...tokens.flatMap((token) => [
          ...payees.flatMap(({ organizationId: id, recipient, feeCollector }) => [
            ...differ(
              `the recipient of ${id} got of ${token}`,
              amountOf(paidTo(recipient), token),
              amountOf(ofOrganization(toRecipients, id), token),
            ),
            ...differ(
              `the collector of ${id} got of ${token}`,
              amountOf(paidTo(feeCollector), token),
              amountOf(ofOrganization(toCollectors, id), token),
            ),
          ]),
          ...refunds.flatMap(({ id, to }) =>
            differ(`${id} refunded to ${to} of ${token}`, amountOf(paidTo(to), token), amountOf(ofOrder(toPayers, id), token)),
          ),
        ]),
      ]
      return { checked: own.length + refunds.length, wrong }
    },
    async operator() {
      const fees = history.filter(isOwn).flatMap(({ signature, fee, changes, rent }) => {
        const change = amountOf(ofOwner(changes, operator), null)
        // Who closes an account gets its rent, and who opens one pays it.
        return change === -fee - sumOf(rent) ? [] : [`${signature} changes what the operator has by ${change}`]
      })
      const rents = included.flatMap(({ rent }) => rent)
      const open = orders.flatMap(({ id, address }) =>
        tokens.flatMap((token) => {
          if (token === null) return []
          const changes = ofOwner(
            included.flatMap((transaction) => transaction.changes),
            address,
          ).filter((change) => change.token === token)
          const accounts = new Set(changes.map(({ account }) => account))
          const rent = sumOf(rents.filter(({ account }) => accounts.has(account)))
          return sumOf(changes) === 0n && rent !== 0n ? [`${id} has an empty account of ${token} with ${rent} lamports`] : []
        }),
      )
      return { checked: own.length + orders.length, wrong: [...fees, ...open] }
    },
    async payouts() {
      const rows = await sql<{ id: string; state: string; problem: string | null }[]>`
        select id, state, problem from solana_payouts where chain_id = ${solanaChainId}`
      const succeeded = new Set(own.map(({ signature }) => signature))
      const wrong = rows.flatMap(({ id, state, problem }) => {
        const times = attempts.filter(({ payout, signature }) => payout === id && succeeded.has(signature)).length
        const isRight = (state === 'confirmed' && times === 1) || (state === 'failed' && times === 0)
        return isRight ? [] : [`${id} is ${state} and was included ${times} times: ${problem}`]
      })
      return { checked: rows.length, wrong }
    },
  }
}

const ofOrder = (rows: readonly Booked[], orderId: string): readonly Booked[] => rows.filter(({ id }) => id === orderId)
const ofOwner = (changes: readonly BalanceChange[], address: string): readonly BalanceChange[] =>
  changes.filter(({ owner }) => owner === address)
