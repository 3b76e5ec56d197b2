import { addresses } from './addresses.ts'
import { apiKey } from './api-key.ts'
import { checkChains } from './check-chains.ts'
import { checkPrices } from './check-prices.ts'
import { type Command, CommandFailed, type Env, type Say, UsageError } from './command.ts'
import { deployFactory } from './deploy-factory.ts'
import { guard } from './guard.ts'
import { guardMoves } from './guard-moves.ts'
import { organization } from './organization.ts'
import { release } from './release.ts'
import { rescue } from './rescue.ts'
import { verify } from './verify.ts'

const commands: Readonly<Record<string, Command>> = {
  'check-chains': checkChains,
  'check-prices': checkPrices,
  'deploy-factory': deployFactory,
  organisation: organization,
  'api-key': apiKey,
  guard,
  'guard-moves': guardMoves,
  rescue,
  verify,
  release,
  addresses,
}

export async function operate([name = '', ...args]: readonly string[], env: Env, say: Say): Promise<void> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command) throw new Error(`There is no command ${JSON.stringify(name)}. There are:\n\n${usages(Object.values(commands))}`)
  if (args.includes('--help')) return say(command.usage)
  try {
    await command.run(args, env, say)
  } catch (error) {
    const { usage, failsWith } = command
    if (error instanceof UsageError || isUnknownOption(error))
      throw new CommandFailed(`${error.message}\n\n${usage}`, failsWith ?? 1, { cause: error })
    if (failsWith === undefined || error instanceof CommandFailed) throw error
    throw new CommandFailed(error instanceof Error ? error.message : String(error), failsWith, { cause: error })
  }
}

const usages = (all: readonly Command[]): string => all.map(({ usage }) => usage).join('\n\n')
const isUnknownOption = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('ERR_PARSE_ARGS')
