import { bitcoinBooks, type BitcoinBooks } from '../support/orders/bitcoin-books.ts'
import { bitcoinHistory } from '../support/orders/bitcoin-history.ts'
import type { Invariant } from './invariants.ts'
import type { World } from './world.ts'

export async function booksInBitcoin({ sql, bitcoin, merchant, hostile }: World): Promise<BitcoinBooks> {
  const payees = [merchant, hostile].map(({ organizationId, inBitcoin }) => ({ organizationId, ...inBitcoin }))
  return bitcoinBooks(sql, await bitcoinHistory(bitcoin.rpc), payees)
}

/** What must hold on the Bitcoin chain beside what holds for every order. */
export const bitcoinInvariants: readonly Invariant[] = [
  {
    name: 'each payment in bitcoin is on record once, and no other is',
    check: async (world) => (await booksInBitcoin(world)).transfers(),
  },
  {
    name: 'deposit addresses hold in bitcoin what the ledger says',
    check: async (world) => (await booksInBitcoin(world)).deposits(),
  },
  {
    name: 'merchants, collectors, refunds and the network got in bitcoin what the ledger says',
    check: async (world) => (await booksInBitcoin(world)).payees(),
  },
  {
    name: 'each payout in bitcoin is final, or was refused before it was sent',
    check: async ({ sql }) => {
      const rows = await sql`select id, state, send_id, problem from bitcoin_payouts`
      const ended = ({ state, send_id }: (typeof rows)[number]) => state === 'confirmed' || (state === 'failed' && send_id === null)
      return {
        checked: rows.length,
        wrong: rows.filter((row) => !ended(row)).map(({ id, state, problem }) => `${id} is ${state}: ${problem}`),
      }
    },
  },
]
