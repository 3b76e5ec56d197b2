import { parseArgs } from 'node:util'
import { isEvmAddress, readTerms } from '../../src/wire/terms/read-terms.ts'
import type { OrderProblem } from '../../src/wire/terms/verified-order.ts'
import { verifyOrder } from '../../src/wire/terms/verify-order.ts'
import { type Command, CommandFailed, UsageError } from './command.ts'
import { readOrderInput, type OrderInput } from './order-input.ts'

const sentences: Readonly<Record<OrderProblem, string>> = {
  malformed: 'the order or its terms are malformed',
  no_terms: 'the order can be paid on an EVM chain and has no terms',
  other_order: 'the terms are those of another order',
  other_factory: 'the terms name another factory',
  unknown_recipient: 'somebody else than the recipients that you named can be paid',
  unknown_fee_collector: 'somebody else than the collectors that you named receives fees',
  unknown_guard: 'another guard may sign for refunds and conversions',
  address: 'the payer is asked to pay to another address than the one that follows from the terms',
  settlement: 'a currency, a chain or a recipient in the order does not agree with the terms',
}

/** Needs neither the service's environment nor its database, so that anybody can run it. */
export const verify: Command = {
  failsWith: 2,
  usage: `verify <order URL | file> --factory 0x… --recipient 0x… [--api-key pk_…] [--guard 0x…] [--fee-collector 0x…]
  Says whether the money of an order can only reach the recipients that you name, and prints its deposit address on EVM chains.
  The URL is that of the order's page, or {base_url}/orders/{id} with --api-key. The file has the order, or its terms alone, as JSON.
  --recipient      an address of yours; may be repeated, and all that the order pays have to be named
  --guard          the only one who may sign for refunds and conversions. Without it any guard passes
  --fee-collector  who else may receive fees; may be repeated. Without it any collector passes
  Exits with 0 if it is true, with 1 if it is false, and with 2 if it could not tell.`,
  async run(args, _, say) {
    const { positionals, values } = parseArgs({ args: [...args], options, allowPositionals: true })
    const { factory, recipient: recipients = [], guard, 'fee-collector': feeCollectors, 'api-key': apiKey } = values
    if (positionals.length > 1) throw new UsageError('One order at a time.')
    if (factory === undefined || recipients.length === 0) throw new UsageError('--factory and at least one --recipient are needed.')
    const wrong = [factory, ...recipients, ...(guard ? [guard] : []), ...(feeCollectors ?? [])].find((address) => !isEvmAddress(address))
    if (wrong !== undefined) throw new UsageError(`${JSON.stringify(wrong)} is not an EVM address.`)
    const input = await readOrderInput(positionals[0], apiKey)
    const checked = verifyOrder(orderOf(input), { factory, recipients, guard, feeCollectors })
    if (!checked.ok) throw new CommandFailed(`false: ${sentences[checked.problem]} (${checked.problem})`, 1)
    if (checked.address === undefined)
      throw new CommandFailed('The order cannot be paid on any EVM chain, so nothing says whom it pays.', 2)
    say(`true: ${checked.address}`)
  },
}

const options = {
  factory: { type: 'string' },
  recipient: { type: 'string', multiple: true },
  guard: { type: 'string' },
  'fee-collector': { type: 'string', multiple: true },
  'api-key': { type: 'string' },
} as const

/** Terms alone are checked as an order that shows nothing but their first settlement. */
function orderOf(input: OrderInput): unknown {
  if (input.is === 'order') return input.order
  const terms = readTerms(input.terms)
  const first = terms?.settlements[0]
  return terms && first && { id: terms.order_id, fulfillment: { asset: { chain_id: first.chain_id, address: first.token } }, terms }
}
