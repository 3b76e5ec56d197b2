import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import pino from 'pino'
import type { BuiltPage } from './compose/built-page.ts'
import { readConfig } from './config.ts'
import type { StartShop } from '../local/start.ts'

const dist = join(dirname(fileURLToPath(import.meta.url)), '..')
const clientDir = join(dist, 'client')

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

async function loadShop(): Promise<StartShop> {
  const built = (await import(pathToFileURL(join(dist, 'demo/shop.js')).href)) as { startShop: StartShop }
  return built.startShop
}

async function loadPage(): Promise<BuiltPage> {
  const file = join(dist, 'render/render.js')
  if (!existsSync(file)) throw new Error('The page is not built: run npm run build first.')
  return (await import(pathToFileURL(file).href)) as BuiltPage
}

interface Running {
  readonly payUrl: string
  stop(): Promise<void>
}

/** Each mode loads only what it needs. */
async function start(): Promise<Running> {
  const config = readConfig(process.env)
  const log = pino(
    {
      level: config.mode === 'local' && process.env.LOG_LEVEL === undefined ? 'warn' : config.logLevel,
      redact: { paths: ['*.secret', '*.private_key', '*.apiKey', '*.url'], remove: true },
    },
    pino.destination({ dest: 2, sync: false }),
  )
  const page = await loadPage()
  switch (config.mode) {
    case 'local': {
      const [{ startLocal }, { payableOrder }] = await Promise.all([import('../local/start.ts'), import('../local/seed.ts')])
      const running = await startLocal({ config, log, page, clientDir, startShop: await loadShop(), say })
      const order = await payableOrder(running.engine)
      say('')
      say(`  the demo shop        ${running.shopUrl}`)
      say(`  a payable order      ${order.hostedUrl}`)
      say(`  scenarios to watch   ${running.shopUrl}/scenarios`)
      say(`  the script to embed  ${running.payUrl}/till.json`)
      say(`  the API reference    ${running.payUrl}/reference`)
      say(`  keys and accounts    ${running.payUrl}/test/fixtures`)
      say(`  mail that was sent   ${running.payUrl}/test/mail`)
      say(`  metrics              http://127.0.0.1:${running.metricsPort}/metrics`)
      say('')
      return running
    }
    case 'service': {
      const { startProduction } = await import('./compose/production.ts')
      return startProduction({ config, log, page, clientDir })
    }
    case 'pages': {
      const { startPageOnly } = await import('./compose/page-only.ts')
      return startPageOnly({ config, log, page, clientDir })
    }
    default:
      return config satisfies never
  }
}

/** Under npm a signal arrives twice, from the terminal and from npm. The first stops the process gracefully, and later ones are ignored. */
async function main(): Promise<void> {
  let stopAsked = false
  let running: Running | undefined
  const stop = () => {
    if (stopAsked) return
    stopAsked = true
    if (!running) return
    setTimeout(() => process.exit(1), 15_000).unref()
    running.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  try {
    running = await start()
    if (stopAsked) {
      stopAsked = false
      stop()
      return
    }
    say(`ready ${running.payUrl}`)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(1)
  }
}

/** With arguments the process runs an operator's command and exits. Without any it is the service. */
async function runCommand(args: readonly string[]): Promise<void> {
  const [{ operate }, { exitCodeOf }] = await Promise.all([import('./operator/operate.ts'), import('./operator/command.ts')])
  try {
    await operate(args, process.env, say)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = exitCodeOf(error)
  }
}

const [, , ...args] = process.argv
await (args.length > 0 ? runCommand(args) : main())
