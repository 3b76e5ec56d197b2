import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Pids are reused, so a pid alone may be another process later. With its start time and the boot that it belongs to it is unique. */
export interface Pid {
  readonly pid: number
  readonly since: string
}

/** Returns undefined if no living process has this pid. A zombie is dead, since it only waits to be reaped. */
export function identify(pid: number): Pid | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the program's name in parentheses and may contain anything, so fields are counted from its end.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined
    return { pid, since: `${fields[19]}@${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}` }
  } catch {
    return undefined
  }
}

export function isAlive({ pid, since }: Pid): boolean {
  return identify(pid)?.since === since
}

/** Returns the command line, its arguments joined by spaces, or '' if the process is gone. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
  } catch {
    return ''
  }
}

export function recordPid(file: string, pid: number): void {
  const process = identify(pid)
  if (process) writeFileSync(file, formatPid(process), { mode: 0o600 })
}

/** Returns the recorded process only if it is still running, and not if another process has its pid. */
export function recordedPid(file: string): Pid | undefined {
  try {
    const process = parsePid(readFileSync(file, 'utf8'))
    return process && isAlive(process) ? process : undefined
  } catch {
    return undefined
  }
}

export function formatPid({ pid, since }: Pid): string {
  return `${pid} ${since}\n`
}

export function parsePid(text: string): Pid | undefined {
  const found = /^(\d+) (\S+)\n$/.exec(text)
  return found ? { pid: Number(found[1]), since: found[2]! } : undefined
}

/** Sends each signal in turn and waits up to `patience` ms after each. SIGKILL is always the last. */
export async function stopPid(
  process: Pid,
  { signals = ['SIGTERM'], patience = 5_000 }: { signals?: NodeJS.Signals[]; patience?: number } = {},
): Promise<void> {
  for (const signal of [...signals, 'SIGKILL'] as const) {
    if (!isAlive(process)) return
    send(process.pid, signal)
    for (const deadline = Date.now() + patience; Date.now() < deadline; await sleep(20)) {
      if (!isAlive(process)) return
    }
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    // The process ended between the check and the signal, which is what we wanted.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
