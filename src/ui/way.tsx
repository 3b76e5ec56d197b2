import type { ComponentChildren } from 'preact'

interface WayProps {
  readonly title: ComponentChildren
  /** What it costs, in the money that the list is about. */
  readonly figure: string | undefined
  /** Each has a line of its own, and the elements in it stand at both ends of that line. */
  readonly notes: readonly ComponentChildren[]
}

/** One way to pay in a list: what it is, and what it costs. */
export const Way = ({ title, figure, notes }: WayProps) => (
  <span class="way">
    <span>
      <b>{title}</b>
      <b class="num">{figure}</b>
    </span>
    {notes.map((note) => note && <span>{note}</span>)}
  </span>
)
