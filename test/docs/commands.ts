import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { commands } from '../../embed/command/commands.ts'
import { commonOptions } from '../../embed/command/help.ts'
import { readArguments } from '../../embed/command/read-arguments.ts'
import { root } from '../support/root.ts'

/**
 * Detects blocks of npm commands. Such commands install, build or run the tests, so a test cannot run them; `.ci/run` does. Here each
 * command must only name a script, project and file that exists.
 */
export const isCommands = (text: string): boolean => commandsOf(text).every((line) => /^(npm|npx) /.test(line))

const commandsOf = (text: string): string[] =>
  text
    .split(/\n|&&/)
    .map((line) => line.replace(/#.*$/, '').trim())
    .filter(Boolean)

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
const projects = /const projects = \{([^]*?)\n\}/.exec(readFileSync(join(root, 'vitest.config.ts'), 'utf8'))?.[1] ?? ''

/** Describes what is wrong with the commands, or returns undefined. */
export const problemOf = (text: string): string | undefined => commandsOf(text).map(problemOfOne).find(Boolean)

function problemOfOne(command: string): string | undefined {
  const [program, verb = '', ...rest] = command.split(/\s+/)
  if (program === 'npm') {
    if (verb === 'ci') return undefined
    if (verb === 'pack')
      return rest[0] === '-w' && existsSync(join(root, rest[1] ?? '', 'package.json')) ? undefined : `${command}: no such workspace`
    const script = verb === 'run' ? (rest[0] ?? '') : verb
    return Object.hasOwn(scripts, script) ? undefined : `${command}: package.json has no script ${script}`
  }
  if (verb === 'till') return problemOfTill(rest)
  if (!existsSync(join(root, 'node_modules/.bin', verb))) return `${command}: there is no ${verb}`
  const project = rest[rest.indexOf('--project') + 1]
  if (rest.includes('--project') && !new RegExp(`^  ${project}:`, 'm').test(projects)) return `${command}: there is no project ${project}`
  const missing = rest.find((word) => word.includes('/') && !existsSync(join(root, word)))
  return missing === undefined ? undefined : `${command}: there is no ${missing}`
}

/** Our own command runs from the installed package, so here it is only asked whether it would understand its arguments. */
function problemOfTill([name, ...rest]: readonly string[]): string | undefined {
  if (name === '--help') return undefined
  const command = commands.find((known) => known.name === name)
  if (!command) return `there is no command "till ${name}"`
  try {
    readArguments(rest, { ...command, options: [...command.options, ...commonOptions] })
    return undefined
  } catch (error) {
    return String(error)
  }
}
