const perHost = 4

/** A few at a time to one host: an order that names a hundred pictures must not turn us into a hundred callers of somebody. */
export const lanes = () => {
  const last = new Map<string, Promise<unknown>>()
  let turn = 0
  return <T>(host: string, work: () => Promise<T>): Promise<T> => {
    const lane = `${turn++ % perHost} ${host}`
    const done = (last.get(lane) ?? Promise.resolve()).then(work)
    const settled = done.then(
      () => undefined,
      () => undefined,
    )
    last.set(lane, settled)
    void settled.then(() => {
      if (last.get(lane) === settled) last.delete(lane)
    })
    return done
  }
}
