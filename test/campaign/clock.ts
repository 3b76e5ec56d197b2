/**
 * Replaces Date with one whose offset tests can change, as on a machine with a wrong clock. Timers and `performance` are unaffected. It
 * must be the first import.
 */
const RealDate = Date
const realNow = Date.now
let offsetMs = 0

export function shiftClock(ms: number): void {
  offsetMs = ms
}

RealDate.now = () => realNow() + offsetMs
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args: []) => (args.length === 0 ? new target(RealDate.now()) : Reflect.construct(target, args)),
})
