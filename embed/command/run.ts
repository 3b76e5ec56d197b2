import { CommandFailed, type ExitCode, type Terminal, UsageError } from './command.ts'
import { commands } from './commands.ts'
import { commonOptions, helpOf, helpOfAll } from './help.ts'
import { printable } from './printable.ts'
import { readArguments } from './read-arguments.ts'

const isHelp = (word: string | undefined): boolean => word === undefined || word === 'help' || word === '--help' || word === '-h'

/** Runs one command line, without the program's own name. */
export async function run(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const { say, note, signal } = terminal
  // What is printed may come from payers and merchants.
  const safe: Terminal = { ...terminal, say: (line) => say(printable(line)), note: (line) => note(printable(line)) }
  try {
    return await runCommand(args, safe)
  } catch (error) {
    if (error instanceof UsageError) return (safe.note(error.message), 2)
    if (error instanceof CommandFailed) return (safe.note(error.message), 1)
    if (signal.aborted) return (safe.note('interrupted'), 1)
    throw error
  }
}

async function runCommand([name, ...rest]: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const known = (wanted: string | undefined) => {
    const command = commands.find((candidate) => candidate.name === wanted)
    if (command) return command
    throw new UsageError(
      `There is no command "${wanted}". There are ${commands.map((each) => each.name).join(', ')}; "till --help" explains them.`,
    )
  }
  const show = (text: string): ExitCode => {
    for (const line of text.split('\n')) terminal.say(line)
    return 0
  }
  if (isHelp(name)) return show(rest[0] === undefined || isHelp(rest[0]) ? helpOfAll(commands) : helpOf(known(rest[0])))
  const command = known(name)
  // Whoever asks for help may not know the right arguments yet.
  if (rest.includes('--help') || rest.includes('-h')) return show(helpOf(command))
  return command.run(readArguments(rest, { ...command, options: [...command.options, ...commonOptions] }), terminal)
}
