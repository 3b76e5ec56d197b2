import preact from '@preact/preset-vite'
import { defineConfig } from 'vitest/config'

/** What a test needs decides its project: nothing, a document, a database and chains, or a browser. */
const projects = {
  unit: ['wire', 'orders/model', 'embed', 'api', 'methods', 'local', 'pages', 'i18n', 'lib'],
  screens: ['screens', 'model', 'order', 'ui'],
  service: [
    'abuse',
    'chains',
    'conformance',
    'currencies',
    'database',
    'e2e',
    'events',
    'fiat',
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
  browser: ['browser', 'demo', 'docs'],
  /** Campaign, kills and explorers: not part of `npm test`, run by CI as short slices with fixed seeds and by `test:full` at length. */
  money: ['money'],
}

const files = (folders: string[]) => folders.map((folder) => `test/${folder}/**/*.test.{ts,tsx}`)
const globalSetup = ['test/support/service/global-setup.ts']

export default defineConfig({
  plugins: [preact()],
  test: {
    // Three for two cores: a test waits for blocks and pages most of the time. More would only make each other late.
    maxWorkers: 4,
    // Each test file loads what it uses anew: hundreds of small files of these packages, or one.
    deps: { optimizer: { ssr: { enabled: true, include: ['hono', 'viem', 'viem/accounts', 'zod', 'zod/mini'] } } },
    restoreMocks: true,
    unstubEnvs: true,
    reporters: process.env.TILL_REPORT ? ['default', ['json', { outputFile: process.env.TILL_REPORT }]] : ['default'],
    projects: [
      { extends: true, test: { name: 'unit', include: ['test/*.test.ts', ...files(projects.unit)], testTimeout: 20_000 } },
      { extends: true, test: { name: 'screens', include: files(projects.screens), environment: 'happy-dom' } },
      {
        extends: true,
        test: {
          name: 'service',
          include: files(projects.service),
          exclude: files(['orders/model']),
          globalSetup,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'money',
          include: files(projects.money),
          globalSetup: [...globalSetup, 'test/support/browser/run-browser.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: files(projects.browser),
          globalSetup: [...globalSetup, 'test/support/browser/run-browser.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
})
