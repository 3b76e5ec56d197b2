import type { Sourced } from './preset.ts'

/** The steps ascend by amount, in bitcoins, and the last one has no limit. */
interface ConfirmationRow {
  readonly below?: string
  readonly blocks: number
}

/** What Till knows of Bitcoin and of its public test networks, which have the same rules. An entry of the table of chains overrides it. */
export const bitcoinPreset: {
  readonly blockSeconds: number
  readonly confirmations: Sourced<{ readonly steps: readonly ConfirmationRow[]; readonly why: string }>
} = {
  blockSeconds: 600,
  confirmations: {
    steps: [{ below: '0.01', blocks: 1 }, { below: '0.5', blocks: 3 }, { blocks: 6 }],
    why: 'Undoing a block costs a miner its reward of several bitcoins, so a small payment is final with the first one. Six blocks are the most that merchants usually wait for.',
    sources: ['btcpay-speed'],
  },
}
