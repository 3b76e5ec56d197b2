import preact from '@preact/preset-vite'
import { defineConfig } from 'vitest/config'
import { postgresPatch } from './check/patch-postgres.ts'

/** A test's project depends on what it needs: nothing, a DOM, a database and chains, or a browser. */
const projects = {
  unit: ['wire', 'orders/model', 'embed', 'api', 'methods', 'local', 'pages', 'pdf', 'i18n', 'lib'],
  screens: ['screens', 'model', 'order', 'ui'],
  service: [
    'chains',
    'conformance',
    'currencies',
    'database',
    'e2e',
    'events',
    'fiat',
    'guard',
    'http',
    'incoming',
    'invoices',
    'monitoring',
    'operator',
    'orders',
    'organizations',
    'outgoing',
    'providers',
    'reference',
    'webhooks',
  ],
  browser: ['browser', 'demo'],
  /**
   * Not part of `npm test`, which should take minutes, but of CI: every state in each look, attacks, pages of other sites, wallets that few payers
   * have, and every block of the documents.
   */
  wide: ['looks', 'abuse', 'sites', 'wallets', 'docs'],
  /** Not part of `npm test` either. CI runs short slices with fixed seeds, and `npm run test:full` runs these suites at length. */
  money: ['money'],
}

/** These take too long for `npm test`, which pays in bitcoin and on Solana as well (`e2e/bitcoin`, `e2e/solana`), so they are wide tests too. */
const longOfOtherChains = [
  'chains/bitcoin/feed',
  'chains/solana/feed',
  'chains/solana/lamport-costs',
  'e2e/bitcoin-chain',
  'e2e/solana-token-2022',
  'e2e/solana-wallet-payments',
  'incoming/x402/solana',
  'outgoing/bitcoin-payouts',
  'outgoing/solana-payouts',
].map((name) => `test/${name}.test.ts`)

const files = (folders: string[]) => folders.map((folder) => `test/${folder}/**/*.test.{ts,tsx}`)
const globalSetup = ['test/support/service/global-setup.ts']

export default defineConfig({
  plugins: [preact(), postgresPatch()],
  test: {
    // Tests mostly wait for blocks and pages, so four workers suit two cores. More workers would only delay each other.
    maxWorkers: 4,
    // Every test file loads its modules again, so these packages are bundled to load as one file and not as hundreds.
    deps: { optimizer: { ssr: { enabled: true, include: ['hono', 'viem', 'viem/accounts', 'zod', 'zod/mini'] } } },
    // Tests end connections of their own too, so they have the driver that the service has (docs/decisions/0022-mended-driver.md).
    server: { deps: { inline: ['postgres'] } },
    restoreMocks: true,
    // A test waits for facts, so its time-out only has to end a test that hangs, also on a machine that is many times slower.
    testTimeout: 400_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    unstubEnvs: true,
    reporters: process.env.TILL_REPORT ? ['default', ['json', { outputFile: process.env.TILL_REPORT }]] : ['default'],
    projects: [
      { extends: true, test: { name: 'unit', include: ['test/*.test.ts', ...files(projects.unit)] } },
      {
        extends: true,
        test: {
          name: 'screens',
          include: files(projects.screens),
          environment: 'happy-dom',
          setupFiles: ['test/support/patient-screens.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'service',
          include: files(projects.service),
          exclude: [...files(['orders/model']), ...longOfOtherChains],
          globalSetup,
        },
      },
      ...(['browser', 'wide', 'money'] as const).map((name) => ({
        extends: true as const,
        test: {
          name,
          include: [...files(projects[name]), ...(name === 'wide' ? longOfOtherChains : [])],
          globalSetup: [...globalSetup, 'test/support/browser/run-browser.ts'],
        },
      })),
    ],
  },
})
