import type { Command, Option } from './command.ts'

/** Every command takes these. */
export const commonOptions: readonly Option[] = [
  { name: 'url', takes: '<url>', help: 'the service, instead of TILL_URL or http://localhost:4020' },
  { name: 'help', help: 'this text' },
]

const environment = [
  ['TILL_URL', 'the service, as in https://pay.example. Without it: http://localhost:4020'],
  ['TILL_API_KEY', "your organisation's key"],
  ['TILL_API_SECRET', 'its secret. A local service hands out both, so there you need neither'],
] as const

const rows = (pairs: readonly (readonly [string, string])[]): string[] => {
  const width = Math.max(...pairs.map(([left]) => left.length)) + 2
  return pairs.map(([left, right]) => `  ${left.padEnd(width)}${right}`)
}

export const helpOfAll = (commands: readonly Command[]): string =>
  [
    'till: what a developer of a shop needs of Till, in a terminal.',
    '',
    'Usage: till <command> [options]',
    '',
    ...rows(commands.map(({ name, operands, sentence }) => [`${name} ${operands}`.trim(), sentence])),
    '',
    'Environment:',
    ...rows(environment),
    'Secrets are read from there alone, because everybody on a machine sees the arguments of its commands.',
    '',
    'Examples:',
    ...rows(commands.flatMap(({ examples: [first] }) => (first ? [first] : []))),
    '',
    '"till <command> --help" says more. Exit codes: 0 it worked, 1 it did not, 2 wrong arguments.',
  ].join('\n')

export const helpOf = ({ name, operands, sentence, options, more, examples }: Command): string =>
  [
    `till ${name}: ${sentence}`,
    '',
    `Usage: till ${name} ${operands}`.trim(),
    '',
    ...rows([...options, ...commonOptions].map(({ name: option, takes, help }) => [`--${option}${takes ? ` ${takes}` : ''}`, help])),
    ...(more.length > 0 ? ['', ...more] : []),
    '',
    'Examples:',
    ...rows(examples),
  ].join('\n')
