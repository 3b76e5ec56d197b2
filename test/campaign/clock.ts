/**
 * A machine whose clock somebody moves: everything in this process that asks for the time is told another one. Timers and
 * `performance` go on as they do on such a machine. Import it first.
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
