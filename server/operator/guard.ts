import { once } from 'node:events'
import pino from 'pino'
import { readGuardConfig } from '../guard/guard-config.ts'
import { startGuard } from '../guard/start-guard.ts'
import type { Command } from './command.ts'

/** The guard has no argument, so that a process list shows nothing of it. It runs until SIGTERM or SIGINT. */
export const guard: Command = {
  usage: `guard
  Runs the guard, which signs for refunds and conversions, as a process of its own (docs/guard.md). It reads GUARD_KEY (or
  GUARD_SIGNER_URL and GUARD_ADDRESS), GUARD_TOKEN, GUARD_RULES, GUARD_LEDGER, PRICE_SOURCES, PRICES_URL, GUARD_HOST and GUARD_PORT.`,
  async run(_, env, say) {
    const config = readGuardConfig(env)
    const log = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: false }))
    const running = await startGuard({ config, log, clock: Date.now })
    say(`ready ${running.address} on port ${running.port}`)
    await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')])
    await running.stop()
  },
}
