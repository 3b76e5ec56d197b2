/**
 * This table says which files may import which. The first row whose `who` contains the file decides, and everything that the row does not
 * list is forbidden. Files that match no row (tests, benches, tools) may import anything.
 *
 * A path means the folder or the file of that name. `<x>` stands for the same name throughout a row, `(types)` allows only `import type`,
 * and `except` excludes. `theirs` lists packages, where `node` means Node's own modules and `*` means any package.
 */
const rooms = (list) => list.split(' ').filter(Boolean)

/** Each row is `[room, the rooms that it may import, the packages that it may import]`. A room may only import rooms above it. */
export const serverRooms = [
  ['lib', '', 'node'],
  ['database', 'lib', 'postgres'],
  ['orders/model', '', ''],
  [
    'chains',
    'lib database',
    '@noble/curves @scure/bip32 @scure/btc-signer @solana-program/compute-budget @solana-program/system @solana-program/token @solana/kit @x402/core @x402/evm @x402/svm node postgres viem ws zod',
  ],
  ['providers', 'lib chains orders/model', 'node nodemailer zod'],
  ['http', 'lib database providers', '@hono/node-server hono node pino zod'],
  ['organizations', 'database http orders/model', ''],
  ['guard', 'lib database chains providers http organizations', 'node pino viem zod'],
  ['orders', 'lib database chains providers http organizations orders/model', 'node pino'],
  ['events', 'lib database http', 'node pino ws zod'],
  ['webhooks', 'lib database http organizations orders', 'node pino'],
  ['outgoing', 'lib chains orders orders/model', ''],
  ['incoming', 'lib database chains http orders orders/model outgoing', '@x402/core node zod'],
  ['fiat', 'database providers http orders orders/model', 'hono node zod'],
  ['pdf', 'lib', 'bidi-js fontkit node pdfkit subset-font zod'],
  ['invoices', 'lib database providers http organizations orders orders/model pdf', 'node uqr zod'],
  ['orders/routes', 'lib database chains http organizations orders orders/model outgoing incoming fiat invoices', ''],
  ['currencies', 'lib chains http organizations orders orders/model orders/routes', 'hono zod'],
  ['pages', 'lib http orders/model pdf invoices', 'hono node zod'],
  ['reference', 'lib http pages', 'hono node zod'],
  ['monitoring', 'database chains providers orders events webhooks invoices', 'node pino prom-client'],
  ['operator', 'lib database chains providers http organizations guard orders orders/model', 'node pino viem zod'],
  [
    'compose',
    'lib database chains providers http organizations guard orders events webhooks outgoing incoming fiat invoices orders/model orders/routes currencies pages reference monitoring config',
    'hono node pino zod',
  ],
].map(([room, uses, theirs]) => ({ room, uses: rooms(uses), theirs: rooms(theirs) }))

/** A room inside another room has to be listed itself, because being allowed the outer room does not include it. */
const innerRooms = serverRooms.map(({ room }) => room).filter((room) => room.includes('/'))

export const walls = [
  // Only the codec of EVM needs a package, which the page must not load with an address, so the page does not import that codec.
  { who: 'src/wire/addresses/evm', ours: ['src/wire'], theirs: ['viem'] },
  { who: 'src/wire/terms', ours: ['src/wire'], theirs: ['@noble/hashes', 'zod'] },
  { who: 'src/wire', ours: ['src/wire'], theirs: ['zod'] },
  { who: 'src/ui/own-state', theirs: ['@preact/signals'] },
  { who: 'src/ui', ours: ['src/ui'], theirs: ['preact', 'uqr'] },
  { who: 'src/i18n', ours: ['src/i18n', 'src/ui', 'src/wire'], theirs: ['preact'] },
  { who: 'src/api', ours: ['src/api', 'src/wire'], theirs: ['zod'] },

  // The folders of payment methods never import each other. Only these rows and the files that `src/screens` lists lead into them.
  { who: 'src/methods/method', ours: ['src/wire', 'src/api (types)'] },
  {
    who: 'src/methods/methods',
    ours: ['src/methods', 'src/wire (types)', 'src/i18n (types)', 'src/ui (types)'],
    theirs: ['preact'],
  },
  { who: 'src/methods/rests', ours: ['src/methods', 'src/wire (types)', 'src/i18n (types)'] },
  { who: 'src/methods/part', ours: ['src/methods/method (types)', 'src/wire (types)'], theirs: ['preact'] },
  { who: 'src/methods/wallet-parts', ours: ['src/methods/part (types)', 'src/methods/wallet'] },
  { who: 'src/methods/<x>-part', ours: ['src/methods/part (types)', 'src/methods/<x>'] },
  {
    who: 'src/methods/<x>/view',
    ours: ['src/methods/<x>/view', 'src/methods/<x> (types)', 'src/methods/method (types)', 'src/ui', 'src/wire', 'src/i18n'],
    theirs: ['preact'],
  },
  {
    who: 'src/methods/<x>',
    ours: ['src/methods/<x>', 'src/methods/method', 'src/wire', 'src/api (types)', 'src/api/api-error'],
    except: ['src/methods/<x>/view'],
    theirs: [
      'viem',
      'wagmi',
      '@wagmi/core',
      '@walletconnect/universal-provider',
      '@wallet-standard/app',
      '@solana/wallet-standard-features',
    ],
  },

  // src/order interprets orders without changing anything, and src/model is the only writer of signals.
  { who: 'src/order', ours: ['src/order', 'src/wire'] },
  {
    who: 'src/model',
    ours: ['src/model', 'src/order', 'src/wire', 'src/api', 'src/methods/method'],
    theirs: ['@preact/signals'],
  },
  {
    who: 'src/screens',
    ours: [
      'src/screens',
      'src/model',
      'src/order',
      'src/ui',
      'src/i18n',
      'src/methods/methods',
      'src/methods/rests',
      'src/methods/part (types)',
      'src/methods/address/view',
      'src/methods/card-part',
      'src/wire (types)',
      'src/wire/locale',
      'src/wire/addresses/can-receive',
    ],
    theirs: ['preact'],
  },
  { who: 'src/host', ours: ['src/check-order', 'src/model', 'src/i18n (types)', 'src/wire (types)', 'embed/protocol'] },
  {
    who: 'src',
    ours: ['src'],
    except: ['src/methods'],
    theirs: ['preact', '@preact/signals', 'preact-render-to-string'],
  },

  { who: 'embed/build', theirs: ['node', 'vite'] },
  { who: 'embed/releases', theirs: ['node'] },
  // Whoever imports one of these files has installed that framework.
  ...['react', 'preact', 'vue', 'svelte', 'solid-js'].map((name) => ({ who: `embed/frameworks/${name}`, ours: ['embed'], theirs: [name] })),
  { who: 'embed/command', ours: ['embed/command'], theirs: ['node', 'ws'] },
  { who: 'embed', ours: ['embed'], except: ['embed/command'] },
  { who: 'demo', ours: ['demo', 'src/wire/terms/verify-order'], theirs: ['node'] },

  { who: 'server/chains/evm/contracts/compile', theirs: ['node', 'solc'] },
  // Families of chains share these helpers, which know none of them.
  {
    who: 'server/chains/blocks',
    ours: ['server/chains/blocks', 'server/chains/feed', 'server/database', 'server/lib', 'src/wire'],
  },
  // The longest path comes first, because the first matching row decides and a room may lie inside another.
  ...serverRooms
    .toSorted((a, b) => b.room.length - a.room.length)
    .map(({ room, uses, theirs }) => ({
      who: `server/${room}`,
      ours: [`server/${room}`, 'src/wire', ...uses.map((used) => `server/${used}`)],
      except: innerRooms.filter((inner) => inner !== room && !uses.includes(inner)).map((inner) => `server/${inner}`),
      theirs,
    })),
  { who: 'server/config', ours: ['server/chains', 'server/http', 'server/providers', 'src/wire'], theirs: ['node', 'zod'] },
  // Production code must not reach local mode, so main is the only file of the server that may import it.
  { who: 'server/main', ours: ['server', 'local', 'src/wire'], theirs: ['node', 'pino'] },
  { who: 'local', ours: ['local', 'server', 'src/wire'], except: ['server/main'], theirs: ['*'] },
]

/** `file` and `target` are paths relative to the repository's root. A target that is a package is written `npm:name`. */
export function mayImport(file, target, typesOnly) {
  for (const { who, ours = [], except = [], theirs = [] } of walls) {
    const found = matcherOf(who).exec(file)
    if (!found) continue
    if (target.startsWith('npm:')) return theirs.includes('*') || theirs.includes(target.slice(4))
    const inside = (path) => matcherOf(path.replace('<x>', found.groups?.x)).test(target)
    const allowed = ours.some((path) => inside(path.replace(' (types)', '')) && (typesOnly || !path.endsWith('(types)')))
    return allowed && !except.some(inside)
  }
  return true
}

const matcherOf = (path) => new RegExp(`^${path.replace('<x>', '(?<x>[^/.]+)')}(?:[/.]|$)`)
