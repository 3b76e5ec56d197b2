/** Work was not begun, because work of the same name has just hung and is being tried again. */
export class CircuitOpen extends Error {
  constructor(name: string) {
    super(`${name} has not answered lately, and is being tried by another`)
    this.name = 'CircuitOpen'
  }
}

export type Breaker = <T>(name: string, work: () => Promise<T>) => Promise<T>

/**
 * Once work of a name has failed after `hangsMs` or more, one at a time is tried and the rest fails at once, until one is answered, even with an
 * error. So what hangs keeps few busy, and they have time for other names.
 */
export function circuitBreaker(hangsMs: number): Breaker {
  const open = new Map<string, { isTried: boolean }>()
  return async (name, work) => {
    const circuit = open.get(name)
    if (circuit?.isTried) throw new CircuitOpen(name)
    if (circuit) circuit.isTried = true
    const started = performance.now()
    try {
      const answer = await work()
      open.delete(name)
      return answer
    } catch (error) {
      if (performance.now() - started >= hangsMs) open.set(name, { isTried: false })
      else open.delete(name)
      throw error
    }
  }
}
