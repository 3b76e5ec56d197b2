import type { Sql } from '../../../server/database/connect.ts'
import { bitcoin } from '../../chains/bitcoin/support.ts'
import type { MinedOutput, MinedTransaction } from './bitcoin-history.ts'
import { type Booked, bookedIn, type Comparison, differ, type Payees, sumOf } from './books.ts'

/** What the chain says about the orders of a service, by their deposit addresses alone. */
export interface BitcoinBooks {
  /** Counts, by order, the transactions that spend its coins and pay its merchant. */
  readonly timesSettled: ReadonlyMap<string, number>
  /** Each payment to a deposit address is recorded once, and nothing else is. */
  transfers(): Promise<Comparison>
  /** Deposit addresses hold, and payers have sent, what the ledger says. */
  deposits(): Promise<Comparison>
  /** Merchants, collectors, refunds and the network got what the ledger says, and nobody else got anything. */
  payees(): Promise<Comparison>
}

interface OwnTransaction extends MinedTransaction {
  /** The coins that it spends, by the orders whose addresses they were at. */
  readonly orders: ReadonlySet<string>
  readonly fee: bigint
  /** It spends something that no order owned. */
  readonly hasForeignInput: boolean
}

const chainId = bitcoin.chain_id

export async function bitcoinBooks(sql: Sql, history: readonly MinedTransaction[], payees: readonly Payees[]): Promise<BitcoinBooks> {
  const orders = await sql<{ id: string; organization: string; address: string }[]>`
    select id, organization_id as organization, address from orders join deposits on order_id = id and family = 'bitcoin' order by id`
  const orderAt = new Map(orders.map(({ id, address }) => [address, id]))
  const outputs = new Map(history.flatMap((transaction) => transaction.outputs.map((output) => [output.key, output] as const)))
  const orderOf = ({ address }: MinedOutput): string | undefined => (address === undefined ? undefined : orderAt.get(address))
  const own = history.flatMap((transaction): OwnTransaction[] => {
    const spent = transaction.spends.flatMap((key) => outputs.get(key) ?? [])
    const owners = new Set(spent.flatMap((output) => orderOf(output) ?? []))
    if (owners.size === 0) return []
    const fee = sumOf(spent) - sumOf(transaction.outputs)
    return [{ ...transaction, orders: owners, fee, hasForeignInput: spent.some((output) => orderOf(output) === undefined) }]
  })
  const ours = new Set(own.map(({ txid }) => txid))
  const arrived = history.filter(({ txid }) => !ours.has(txid)).flatMap((transaction) => transaction.outputs.filter(orderOf))
  const paidOut = own.flatMap((transaction) => transaction.outputs)
  const paidTo = (address: string): bigint => sumOf(paidOut.filter((output) => output.address === address))
  const recipientOf = new Map(payees.map(({ organizationId, recipient }) => [organizationId, recipient]))
  const timesSettled = new Map(
    orders.map(({ id, organization }) => {
      const recipient = recipientOf.get(organization)
      return [id, own.filter((each) => each.orders.has(id) && each.outputs.some(({ address }) => address === recipient)).length] as const
    }),
  )
  const booked = (account: string) => bookedIn(sql, chainId, account)

  return {
    timesSettled,
    async transfers() {
      const rows = await sql<{ key: string; amount: string }[]>`
        select key, amount::text from transfers where chain_id = ${chainId} and state <> 'dropped'`
      const recorded = new Map(rows.map(({ key, amount }) => [key, BigInt(amount)]))
      const there = new Set(arrived.map(({ key }) => `${chainId}:${key}`))
      const wrong = [
        ...arrived.flatMap(({ key, amount }) => differ(`transfer ${key}`, amount, recorded.get(`${chainId}:${key}`) ?? 'not on record')),
        ...rows.filter(({ key }) => !there.has(key)).map(({ key }) => `${key} is on record and not on the chain`),
      ]
      return { checked: arrived.length, wrong }
    },
    async deposits() {
      const spent = new Set(history.flatMap(({ spends }) => spends))
      const [held, paid] = [new Map<string, bigint>(), new Map<string, bigint>()]
      const add = (sums: Map<string, bigint>, id: string, amount: bigint) => sums.set(id, (sums.get(id) ?? 0n) + amount)
      for (const output of outputs.values()) {
        const id = orderOf(output)
        if (id !== undefined && !spent.has(output.key)) add(held, id, output.amount)
      }
      for (const output of arrived) add(paid, orderOf(output) ?? '', output.amount)
      const [atDeposit, fromPayers] = [await booked('deposit'), await booked('payers')]
      const wrong = orders.flatMap(({ id }) => [
        ...differ(`${id} holds on the chain`, held.get(id) ?? 0n, amountIn(atDeposit, id)),
        ...differ(`${id} was paid on the chain`, paid.get(id) ?? 0n, -amountIn(fromPayers, id)),
      ])
      return { checked: orders.length, wrong }
    },
    async payees() {
      const refundRows = await sql<{ id: string; to: string }[]>`
        select distinct order_id as id, fact->'refund'->>'address' as to from facts where fact->>'type' = 'refund_planned'
          and fact->'refund'->'asset'->>'chainId' = ${String(chainId)}`
      const refundAddresses = new Set(refundRows.map(({ to }) => to))
      const known = new Set([
        ...orderAt.keys(),
        ...refundAddresses,
        ...payees.flatMap(({ recipient, feeCollector }) => [recipient, feeCollector]),
      ])
      const accounts = { recipient: await booked('recipient'), fees: await booked('fees'), collector: await booked('collector') }
      const [refunds, gas] = [await booked('refunds'), await booked('gas')]
      const network = own.reduce((total, { fee }) => total + fee, 0n)
      const wrong = [
        ...own.filter(({ hasForeignInput }) => hasForeignInput).map(({ txid }) => `${txid} spends what no order owned`),
        ...paidOut.filter(({ address }) => !known.has(address ?? '')).map(({ key, address }) => `${key} pays ${address}, whom nobody owes`),
        ...payees.flatMap(({ organizationId, recipient }) => {
          const owed = sumOf(accounts.recipient.filter(({ organization }) => organization === organizationId))
          return differ(`the recipient of ${organizationId} got`, paidTo(recipient), owed)
        }),
        ...refundRows.flatMap(({ id, to }) => differ(`${id} refunded to ${to}`, paidTo(to), amountIn(refunds, id))),
        // What a refund pays for its fee is booked as gas, also what of it the collector gets back.
        ...differ(
          'the collectors and the network got',
          payees.reduce((total, { feeCollector }) => total + paidTo(feeCollector), 0n) + network,
          [accounts.fees, accounts.collector, gas].reduce((total, rows) => total + sumOf(rows), 0n),
        ),
        ...(network > sumOf(gas) ? [`the network took ${network}, and the books say ${sumOf(gas)}`] : []),
      ]
      return { checked: own.length + refundRows.length, wrong }
    },
  }
}

const amountIn = (rows: readonly Booked[], id: string): bigint => rows.find((row) => row.id === id)?.amount ?? 0n
