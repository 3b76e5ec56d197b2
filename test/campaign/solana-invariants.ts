import { solanaOperator } from '../../local/solana/accounts.ts'
import { solanaBooks, type SolanaBooks } from '../support/orders/solana-books.ts'
import { solanaHistory } from '../support/orders/solana-history.ts'
import type { Invariant } from './invariants.ts'
import type { World } from './world.ts'

export async function booksOnSolana({ sql, solana, merchant, hostile }: World): Promise<SolanaBooks> {
  const payees = [merchant, hostile].map(({ organizationId, onSolana }) => ({ organizationId, ...onSolana }))
  return solanaBooks(sql, await solanaHistory(solana.local.node.url), { operator: solanaOperator.address, payees })
}

/** What must hold on Solana beside what holds for every order. */
export const solanaInvariants: readonly Invariant[] = [
  {
    name: 'each payment on Solana is on record once, and no other is',
    check: async (world) => (await booksOnSolana(world)).transfers(),
  },
  {
    name: 'deposit addresses hold on Solana what the ledger says',
    check: async (world) => (await booksOnSolana(world)).deposits(),
  },
  {
    name: 'merchants, collectors and refunds got on Solana what the ledger says, each from its own order',
    check: async (world) => (await booksOnSolana(world)).payees(),
  },
  {
    name: 'the operator paid fees on Solana and got back the rent of every account that is empty',
    check: async (world) => (await booksOnSolana(world)).operator(),
  },
  {
    name: 'each payout on Solana is final: it was included once, or it failed and never was',
    check: async (world) => (await booksOnSolana(world)).payouts(),
  },
]
