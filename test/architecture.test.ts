import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serverRooms } from '../check/walls.mjs'
import { root } from './support/root.ts'

/** Pairs of [file, source], with at least one forbidden import for every row of "Who may import whom". */
const forbidden: [string, string][] = [
  ['src/wire/a.ts', `import '../api/client.ts'`],
  ['src/wire/b.ts', `import 'viem'`],
  ['src/wire/c.ts', `import type { Order } from '../../server/orders/model/order.ts'`],
  ['src/ui/a.ts', `import '../model/checkout.ts'`],
  ['src/ui/b.ts', `import '@preact/signals'`],
  ['src/ui/c.ts', `import type { Order } from '../wire/order.ts'`],
  ['src/api/a.ts', `import '../model/checkout.ts'`],
  ['src/api/b.ts', `import 'preact'`],
  ['src/methods/card/flow.ts', `import '../address/flow.ts'`],
  ['src/methods/card/pay.ts', `export { pay } from '../address/pay.ts'`],
  ['src/methods/wallet/flow.ts', `import 'preact'`],
  ['src/methods/wallet/a.ts', `import './view.tsx'`],
  ['src/methods/wallet/b.ts', `import { createClient } from '../../api/client.ts'`],
  ['src/methods/wallet/c.ts', `import '../../model/checkout.ts'`],
  ['src/methods/wallet-parts.ts', `import './card/flow.ts'`],
  ['src/methods/card/view.tsx', `import { card } from './flow.ts'`],
  ['src/methods/address/view.tsx', `import '../../model/checkout.ts'`],
  ['src/methods/wallet/view.tsx', `import 'viem'`],
  ['src/order/a.ts', `import '../model/checkout.ts'`],
  ['src/order/b.ts', `import '@preact/signals'`],
  ['src/model/a.ts', `import '../screens/pay.tsx'`],
  ['src/model/b.ts', `import 'preact'`],
  ['src/model/c.ts', `export const lazy = () => import('../methods/card/flow.ts')`],
  ['src/screens/a.ts', `import '../api/client.ts'`],
  ['src/screens/b.ts', `import '../methods/card/view.tsx'`],
  ['src/screens/c.ts', `import '../wire/order.ts'`],
  ['src/screens/d.ts', `import '@preact/signals'`],
  ['src/host.ts', `import './screens/pay.tsx'`],
  ['src/app.tsx', `import '../embed/protocol.ts'`],
  ['src/main.tsx', `import './methods/card/flow.ts'`],
  ['src/render.tsx', `import '../server/config.ts'`],
  ['embed/a.ts', `import type { Order } from '../src/wire/order.ts'`],
  ['embed/b.ts', `import 'zod'`],
  ['embed/c.ts', `import './command/run.ts'`],
  ['embed/command/a.ts', `import '../server.ts'`],
  ['embed/command/b.ts', `import 'zod'`],
  ['demo/a.ts', `import '../embed/loader.ts'`],
  ['server/orders/model/a.ts', `import '../order-queries.ts'`],
  ['server/orders/model/b.ts', `import 'viem'`],
  ['server/orders/model/c.ts', `import { readFileSync } from 'node:fs'`],
  ['server/orders/model/d.ts', `import '../../lib/pause.ts'`],
  ['server/orders/a.ts', `import '../invoices/invoicing.ts'`],
  ['server/orders/b.ts', `import './routes/orders.ts'`],
  ['server/orders/c.ts', `import '../outgoing/settle.ts'`],
  ['server/orders/routes/a.ts', `import '../../pages/pages.ts'`],
  ['server/lib/a.ts', `import '../orders/engine.ts'`],
  ['server/database/a.ts', `import '../orders/order-queries.ts'`],
  ['server/chains/evm/a.ts', `import '../../orders/engine.ts'`],
  ['server/chains/blocks/a.ts', `import '../evm/rpc.ts'`],
  ['server/providers/a.ts', `import '../http/outbound.ts'`],
  ['server/http/a.ts', `import '../organizations/keys.ts'`],
  ['server/organizations/a.ts', `import '../orders/engine.ts'`],
  ['server/events/a.ts', `import '../orders/record.ts'`],
  ['server/webhooks/a.ts', `import '../incoming/watch.ts'`],
  ['server/outgoing/a.ts', `import '../incoming/watch.ts'`],
  ['server/incoming/a.ts', `import '../orders/routes/orders.ts'`],
  ['server/fiat/a.ts', `import '../incoming/watch.ts'`],
  ['server/invoices/a.ts', `import '../pages/pages.ts'`],
  ['server/currencies/a.ts', `import '../../src/render.tsx'`],
  ['server/monitoring/a.ts', `import '../compose/service.ts'`],
  ['server/operator/a.ts', `import '../compose/service.ts'`],
  ['server/reference/a.ts', `import '../orders/engine.ts'`],
  ['server/pages/a.ts', `import '../../embed/protocol.ts'`],
  ['server/pages/b.ts', `import '../orders/engine.ts'`],
  ['server/compose/a.ts', `import '../../local/postgres.ts'`],
  ['server/config.ts', `import './compose/service.ts'`],
  ['local/a.ts', `import '../src/render.tsx'`],
]

const allowed: [string, string][] = [
  ['src/wire/ok.ts', `import 'zod/mini'; import './order.ts'`],
  ['src/ui/ok.ts', `import 'preact/hooks'; import './qr.tsx'; import './ui.css'`],
  ['src/api/ok.ts', `import '../wire/order.ts'`],
  [
    'src/methods/swap/flow.ts',
    `import 'viem'; import '@wagmi/core'; import '../../wire/order.ts'; import '../method.ts'; import './route.ts'`,
  ],
  ['src/methods/swap/route.ts', `import type { Client } from '../../api/client.ts'; export type { Client }`],
  ['src/methods/swap/view.tsx', `import 'preact'; import '../../ui/qr.tsx'; import type { Step } from './flow.ts'; export type { Step }`],
  ['src/methods/methods.ts', `export const card = () => import('./card-part.ts')`],
  ['src/methods/card-part.ts', `import './card/flow.ts'; import './card/view.tsx'`],
  ['src/order/ok.ts', `import '../wire/order.ts'; import './step.ts'`],
  ['src/model/ok.ts', `import '@preact/signals'; import '../order/step.ts'; import '../api/client.ts'`],
  ['src/screens/ok.ts', `import '../model/checkout.ts'; import '../ui/qr.tsx'; import '../methods/methods.ts'`],
  ['src/hosted.ts', `import './host.ts'; import './model/checkout.ts'`],
  ['embed/ok.ts', `import './protocol.ts'`],
  ['server/orders/model/ok.ts', `import '../../../src/wire/order.ts'; import './funding.ts'`],
  ['server/orders/ok.ts', `import './model/order.ts'; import '../database/connect.ts'; import '../chains/chain.ts'`],
  ['server/chains/evm/ok.ts', `import '../../database/connect.ts'; import '../chain.ts'`],
  ['server/orders/routes/ok.ts', `import '../record.ts'; import '../model/order.ts'; import '../../incoming/sweep.ts'`],
  ['server/database/ok.ts', `import 'postgres'; import '../lib/pause.ts'`],
  ['server/main.ts', `import '../local/start.ts'; import './compose/service.ts'; import 'node:fs'`],
  ['server/compose/ok.ts', `import '../config.ts'; import '../orders/routes/orders.ts'; import '../../src/wire/order.ts'`],
  ['local/ok.ts', `import '../server/compose/service.ts'; import 'smtp-server'`],
]

/** The compiler refuses these imports because a project may read only the projects that it references. */
const uncompilable: [string, string][] = [
  ['src/wire/wall.ts', `export * from '../ui/thing.ts'`],
  ['src/wall.ts', `export * from '../server/thing.ts'`],
  ['embed/wall.ts', `export * from '../src/wire/thing.ts'`],
  ['demo/wall.ts', `export * from '../embed/thing.ts'`],
  ['server/orders/model/wall.ts', `export * from '../../database/thing.ts'`],
  ['server/local-wall.ts', `export * from '../local/thing.ts'`],
  ['server/wall.ts', `export * from '../src/ui/thing.ts'`],
]

function write(folder: string, files: [string, string][]): void {
  for (const [file, text] of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), `${text}\n`)
  }
}

describe('walls', () => {
  let copy: string
  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), 'till-walls-'))
    for (const name of ['.oxlintrc.json', 'check', 'tsconfig.base.json']) cpSync(join(root, name), join(copy, name), { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
    write(copy, [...forbidden, ...allowed, ['test/free.ts', `import '../server/main.ts'; import '../src/ui/ok.ts'; import 'viem'`]])
  })
  afterAll(() => rmSync(copy, { recursive: true, force: true }))

  function complaints(): { rule: string; file: string }[] {
    const { stdout } = spawnSync('node_modules/.bin/oxlint', ['-f', 'json', 'src', 'embed', 'demo', 'server', 'local', 'test'], {
      cwd: copy,
      encoding: 'utf8',
    })
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; filename: string }[] }
    return diagnostics.map(({ code, filename }) => ({ rule: code, file: filename }))
  }

  test('behavior: lint refuses every forbidden import and no other', () => {
    const refused = complaints().filter(({ rule }) => rule === 'till(walls)')
    expect(refused.map(({ file }) => file).sort()).toEqual(forbidden.map(([file]) => file).sort())
  })

  test('behavior: lint refuses circular imports', () => {
    write(copy, [
      ['src/api/round.ts', `import { b } from './trip.ts'\nexport const a = () => b`],
      ['src/api/trip.ts', `import { a } from './round.ts'\nexport const b = () => a`],
    ])
    const circles = complaints().filter(({ rule }) => rule === 'import(no-cycle)')
    expect(circles.map(({ file }) => file).sort()).toEqual(['src/api/round.ts', 'src/api/trip.ts'])
  })

  test('behavior: lint refuses a signal created in a component', () => {
    write(copy, [
      [
        'src/ui/counter.tsx',
        `import { signal } from '@preact/signals'\nexport function Counter() {\n  const n = signal(0)\n  return <p>{n}</p>\n}`,
      ],
    ])
    expect(complaints().map(({ rule }) => rule)).toContain('signals(no-signal-in-component-body)')
  })

  test('behavior: lint refuses focused and skipped tests', () => {
    write(copy, [
      ['test/one.test.ts', `import { test } from 'vitest'\ntest.only('a', () => {})`],
      ['test/two.test.ts', `import { test } from 'vitest'\ntest.skip('a', () => {})`],
    ])
    const rules = complaints().map(({ rule }) => rule)
    expect(rules).toContain('vitest(no-focused-tests)')
    expect(rules).toContain('vitest(no-disabled-tests)')
  })

  test('behavior: the compiler refuses imports across projects', () => {
    const tree = join(copy, 'compiled')
    const projects = ['src/wire', 'src', 'embed', 'demo', 'server/orders/model', 'server', 'local']
    for (const name of ['tsconfig.base.json', ...projects.map((project) => `${project}/tsconfig.json`)]) {
      mkdirSync(dirname(join(tree, name)), { recursive: true })
      cpSync(join(root, name), join(tree, name))
    }
    symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'))
    const folders = [...projects, 'src/ui', 'server/database']
    write(tree, [...folders.map((folder): [string, string] => [`${folder}/thing.ts`, 'export const thing = 1']), ...uncompilable])
    const { stdout } = spawnSync('node_modules/.bin/tsc', ['-b', '--force', ...projects], { cwd: tree, encoding: 'utf8' })
    for (const [file] of uncompilable) expect(stdout).toMatch(new RegExp(`^${file}\\(.*error TS(6059|6307)`, 'm'))
  })
})

const folders = ['src', 'embed', 'server', 'local', 'demo', 'bench', 'check', 'test']
const code = folders
  .flatMap((folder) => (readdirSync(join(root, folder), { recursive: true }) as string[]).map((file) => `${folder}/${file}`))
  .filter((file) => /\.(tsx?|mjs)$/.test(file) && !/\/(artifacts|dist|generated|node_modules)\//.test(file))
const linesOf = (file: string) => readFileSync(join(root, file), 'utf8').split('\n').length

test('behavior: no file of the product is longer than 400 lines', () => {
  const long = code.filter((file) => /^(src|embed|server|local)\//.test(file) && linesOf(file) > 400)
  expect(long).toEqual([])
})

test('behavior: each composition of the service is at most 100 lines and 25 imports', () => {
  const importsOf = (file: string) => (readFileSync(join(root, file), 'utf8').match(/^import /gm) ?? []).length
  const compositions = code.filter((file) => file.startsWith('server/compose/'))
  expect(compositions.length).toBeGreaterThan(5)
  expect(compositions.filter((file) => linesOf(file) > 101 || importsOf(file) > 25)).toEqual([])
})

test('behavior: no barrels, no utils', () => {
  expect(code.filter((file) => /^(index|utils?|helpers?|common|misc)\./.test(basename(file)))).toEqual([])
})

test('behavior: a folder of the service may import only folders above it in the table', () => {
  const before = new Set(['config'])
  for (const { room, uses } of serverRooms) {
    expect(
      uses.filter((used) => !before.has(used)),
      room,
    ).toEqual([])
    before.add(room)
  }
})

test('behavior: the table lists every folder of the service', () => {
  const known = new Set(serverRooms.map(({ room }) => room.split('/')[0]))
  const there = readdirSync(join(root, 'server'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
  expect(there.map(({ name }) => name).filter((name) => !known.has(name))).toEqual([])
})

/** Solidity names its contracts in Pascal case and BCP 47 names the locales. */
const isNamedByOthers = (file: string) => /\/(contracts|locales)\/|^test\/embed\/(projects|consumer)\/|\.d\.ts$/.test(file)

test('behavior: every folder with tests belongs to a project of the test runner', () => {
  const config = readFileSync(join(root, 'vitest.config.ts'), 'utf8')
  const folders = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\/.*\.test\.tsx?$/.test(path))
    .map((path) => path.split('/')[0]!)
  expect([...new Set(folders)].filter((folder) => !config.includes(`'${folder}'`))).toEqual([])
})

test('behavior: files are named in kebab-case', () => {
  const wrong = code.filter((file) => !isNamedByOthers(file) && !/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z]+)+$/.test(basename(file)))
  expect(wrong).toEqual([])
})

test('behavior: no file name occurs more than three times in the product', () => {
  const counts = new Map<string, number>()
  for (const file of code.filter((path) => /^(src|embed|server)\//.test(path) && !path.includes('/locales/'))) {
    const name = basename(file).replace(/\.\w+$/, '')
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  expect([...counts].filter(([, count]) => count > 3)).toEqual([])
})

test('behavior: every transaction is begun by transaction(), so that its events are published after the commit', () => {
  const begins = code.filter((file) => /^(server|local)\//.test(file) && /\.begin\(/.test(readFileSync(join(root, file), 'utf8')))
  expect(begins).toEqual(['server/database/transaction.ts'])
})

test('behavior: an order changes only through record', () => {
  const appending = code.filter(
    (file) => /^(server|local)\//.test(file) && /orders\/append\.ts'|'\.\/append\.ts'/.test(readFileSync(join(root, file), 'utf8')),
  )
  expect(appending).toEqual(['server/orders/record.ts'])
})

test('behavior: tests are named default, behavior: …, error: … or property: …', () => {
  const isOurs = (file: string) => file.startsWith('test/') && !/\/(projects|consumer|fixtures)\//.test(file)
  const wrong = code.filter(isOurs).flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8')
    const names = [...text.matchAll(/^ *test(?:\.\w+)?\(\s*(['"`])(.*?)\1|\)\((['"`])(.*?)\3, (?:\{|async|\()/gm)].map(
      (match) => match[2] ?? match[4] ?? '',
    )
    return names.filter((name) => !/^(default|behavior: |error: |property: |\$[{a-z]|%s)/.test(name)).map((name) => `${file}: ${name}`)
  })
  expect(wrong).toEqual([])
  expect(code.filter((file) => /^\s*it(\.\w+)?\(/m.test(readFileSync(join(root, file), 'utf8')))).toEqual([])
})
