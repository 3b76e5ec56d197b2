import { apiKey } from './api-key.ts'
import { checkChains } from './check-chains.ts'
import { type Command, type Env, type Say, UsageError } from './command.ts'
import { deployFactory } from './deploy-factory.ts'
import { organization } from './organization.ts'

const commands: Readonly<Record<string, Command>> = {
  'check-chains': checkChains,
  'deploy-factory': deployFactory,
  organisation: organization,
  'api-key': apiKey,
}

export async function operate([name = '', ...args]: readonly string[], env: Env, say: Say): Promise<void> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command) throw new Error(`There is no command ${JSON.stringify(name)}. There are:\n\n${usages(Object.values(commands))}`)
  if (args.includes('--help')) return say(usages([command]))
  try {
    await command.run(args, env, say)
  } catch (error) {
    if (error instanceof UsageError || isUnknownOption(error)) throw new Error(`${error.message}\n\n${usages([command])}`, { cause: error })
    throw error
  }
}

const usages = (all: readonly Command[]): string => all.map(({ usage }) => usage).join('\n\n')
const isUnknownOption = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('ERR_PARSE_ARGS')
