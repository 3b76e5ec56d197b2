import type { ComponentChildren } from 'preact'

interface WayProps {
  readonly title: ComponentChildren
  /** Each has a line of its own. */
  readonly notes: readonly ComponentChildren[]
  /** What it costs in all, in money that the payer knows. */
  readonly cost: string | undefined
  /** What of it is sent in a token. */
  readonly amount: string | undefined
}

/** One way to pay in a list: what it is, and what it costs. */
export const Way = ({ title, notes, cost, amount }: WayProps) => (
  <span class="way">
    <span>
      <b>{title}</b>
      {notes.map((note) => note && <span>{note}</span>)}
    </span>
    <span>
      <b class="num">{cost ?? amount}</b>
      {cost && amount && <span class="num">{amount}</span>}
    </span>
  </span>
)
