// This compiles every contract in its folder into artifacts/<Name>.ts, typed for viem. The artifacts are committed, so that
// neither a build nor a test needs the compiler. With `--check` it compares instead of writing.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import solc from 'solc'

const folder = new URL('.', import.meta.url)
const artifacts = new URL('artifacts/', folder)
const solidity = (name) => name.endsWith('.sol')

const sources = Object.fromEntries(
  readdirSync(folder)
    .filter(solidity)
    .sort()
    .map((name) => [name, { content: readFileSync(new URL(name, folder), 'utf8') }]),
)

const output = JSON.parse(
  solc.compile(
    JSON.stringify({
      language: 'Solidity',
      sources,
      settings: {
        optimizer: { enabled: true, runs: 200 },
        // A newer version would use opcodes that some of the chains may not support yet.
        evmVersion: 'paris',
        // Without a hash of paths and comments the same code always has the same bytes, and so the same address on every chain.
        metadata: { bytecodeHash: 'none', appendCBOR: false },
        outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
      },
    }),
  ),
)

const errors = (output.errors ?? []).map((error) => error.formattedMessage)
if (errors.length > 0) {
  process.stderr.write(errors.join('\n'))
  process.exit(1)
}

const files = new Map()
for (const source of Object.keys(sources)) {
  const name = source.slice(0, -'.sol'.length)
  const contract = output.contracts[source][name]
  const abi = contract.abi.map((item) => `    ${JSON.stringify(item)},\n`).join('')
  files.set(
    `${name}.ts`,
    `// Compiled from ../${source}: npm run contracts\n` +
      `export const ${name} = {\n  abi: [\n${abi}  ],\n` +
      `  bytecode: '0x${contract.evm.bytecode.object}',\n` +
      `  deployedBytecode: '0x${contract.evm.deployedBytecode.object}',\n} as const\n`,
  )
}

const present = readdirSync(artifacts)
const read = (name) => (present.includes(name) ? readFileSync(new URL(name, artifacts), 'utf8') : '')
const stale = [...files].filter(([name, text]) => read(name) !== text).map(([name]) => name)
const orphans = present.filter((name) => !files.has(name))

if (process.argv.includes('--check')) {
  const wrong = [...stale, ...orphans]
  if (wrong.length > 0) {
    process.stderr.write(`The contracts and their artifacts differ (${wrong.join(', ')}): run npm run contracts.\n`)
    process.exit(1)
  }
} else {
  for (const name of stale) writeFileSync(new URL(name, artifacts), files.get(name))
  for (const name of orphans) rmSync(fileURLToPath(new URL(name, artifacts)))
}
