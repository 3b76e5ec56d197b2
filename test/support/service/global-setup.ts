import { chmodSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import postgres from 'postgres'
import type { TestProject } from 'vitest/node'
import { removePostgres, startPostgres } from '../../../local/postgres.ts'
import { recordedPid, recordPid } from '../../../local/pids.ts'
import { migrate } from '../../../server/database/migrate.ts'
import { root } from '../root.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The shared cluster's superuser URL. Test files get their own database from createDatabase(). */
    postgresUrl: string
    templateDatabase: string
    /** A unique name that the run's files on disk carry. */
    run: string
  }
}

/** The parts that one run shares: a PostgreSQL in a private folder with a migrated template, and the run's name. */
interface RunEnvironment {
  readonly postgresUrl: string
  readonly templateDatabase: string
  readonly run: string
  stop(): Promise<void>
}

/** Each project loads its own copy of this module, so the shared environment is stored on globalThis. */
const shared = globalThis as { tillTestRun?: { users: number; environment: Promise<RunEnvironment> } }

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const held = (shared.tillTestRun ??= { users: 0, environment: startEnvironment() })
  held.users++
  const environment = await held.environment
  project.provide('postgresUrl', environment.postgresUrl)
  project.provide('templateDatabase', environment.templateDatabase)
  project.provide('run', environment.run)
  return async () => {
    if (--held.users > 0) return
    delete shared.tillTestRun
    await environment.stop()
  }
}

const prefix = 'till-test-'

async function startEnvironment(): Promise<RunEnvironment> {
  await sweep()
  const folder = mkdtempSync(join(tmpdir(), prefix))
  chmodSync(folder, 0o711)
  recordPid(join(folder, 'owner'), process.pid)
  const server = await startPostgres({ folder: join(folder, 'postgres'), fast: true })
  const templateDatabase = 'template_till'
  await createTemplate(server.url, templateDatabase)
  return {
    postgresUrl: server.url,
    templateDatabase,
    run: basename(folder),
    stop: () => remove(folder),
  }
}

async function remove(folder: string): Promise<void> {
  await removePostgres(join(folder, 'postgres'))
  for (const path of [folder, join(root, '.cache', basename(folder))]) rmSync(path, { recursive: true, force: true })
}

async function createTemplate(url: string, name: string): Promise<void> {
  const admin = postgres(url, { max: 1 })
  await admin.unsafe(`create database ${name}`)
  await admin.end()
  const template = new URL(url)
  template.pathname = `/${name}`
  await migrate(template.href)
}

/** Removes the folders and stops the PostgreSQL servers that killed runs left behind. */
async function sweep(): Promise<void> {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(prefix))) {
    const folder = realpathSync(join(tmpdir(), name))
    if (statSync(folder).uid === process.getuid!() && !recordedPid(join(folder, 'owner'))) await remove(folder)
  }
}
