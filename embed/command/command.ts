import type { Arguments } from './read-arguments.ts'

/** 0: it worked. 1: the service or the receiver did not do it. 2: it was asked for in a way that means nothing. */
export type ExitCode = 0 | 1 | 2

/** All that a command knows of the world, so that tests give it another. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Writes a line of the answer, to the standard output. */
  say(line: string): void
  /** Writes a line about what is going on, or wrong, to the standard error, so that it does not get into a pipe. */
  note(line: string): void
  readonly fetch: typeof fetch
  /** Aborts when the command is interrupted. One that goes on until then has worked, and any other has not. */
  readonly signal: AbortSignal
}

export interface Option {
  readonly name: string
  /** What the option takes, as in `--limit <number>`. Without it the option takes nothing. */
  readonly takes?: string
  readonly help: string
}

export interface Command {
  readonly name: string
  /** What stands behind the name, as in `orders [order id]`. */
  readonly operands: string
  readonly mostOperands: 0 | 1
  readonly sentence: string
  readonly options: readonly Option[]
  /** More to know, below the options. */
  readonly more: readonly string[]
  readonly examples: readonly (readonly [line: string, what: string])[]
  run(given: Arguments, terminal: Terminal): Promise<ExitCode>
}

/** The command was called in a way that means nothing. The message names the argument and what was expected. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The command was understood and could not be done. The message says why, and what to try. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed'
}
