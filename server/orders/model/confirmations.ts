import type { Transfer } from './order.ts'

/** A transfer in the head itself has one confirmation; it never shows more than its chain asks for. */
export const confirmationsAt = ({ block, needed }: Pick<Transfer, 'block' | 'needed'>, head: number): number =>
  Math.min(needed, Math.max(0, head - block + 1))
