import { ChainUnavailable } from './chain.ts'

/** Keeps a chain from being used before its nodes are known to serve what the configuration says. */
export interface Gate {
  /** Returns an object with the same methods, which reject with ChainUnavailable until the gate is open. */
  behind<T extends object>(nodes: T): T
  open(): void
}

export function createGate(chainId: number): Gate {
  let isOpen = false
  const closed = () =>
    new ChainUnavailable(chainId, 'chain_unavailable', 'its nodes have not been checked yet, since none has answered so far.')
  return {
    behind: (nodes) =>
      new Proxy(nodes, {
        get(target, name) {
          const member: unknown = Reflect.get(target, name)
          if (typeof member !== 'function') return member
          return (...args: unknown[]): unknown => (isOpen ? Reflect.apply(member, target, args) : Promise.reject(closed()))
        },
      }),
    open: () => void (isOpen = true),
  }
}
