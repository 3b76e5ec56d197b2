import { pause } from '../lib/pause.ts'

/** The next print waits for this promise. It is global because printing blocks the process's only thread. */
let previousPrint: Promise<void> = Promise.resolve()

/** Each print is followed by a pause of the same length for other work. */
export function printInTurn(print: () => Promise<Buffer>): Promise<Buffer> {
  const turn = previousPrint
  let took = 0
  const printed = turn.then(async () => {
    const began = performance.now()
    const pdf = await print()
    took = performance.now() - began
    return pdf
  })
  const rest = () => pause(took)
  previousPrint = printed.then(rest, rest)
  return printed
}
