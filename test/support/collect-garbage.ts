import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

/** Collects garbage again and again until the work ends, so that what only a weak reference holds is gone. */
export async function whileCollecting<T>(work: Promise<T>): Promise<T> {
  const timer = setInterval(collectGarbage, 20)
  try {
    return await work
  } finally {
    clearInterval(timer)
  }
}
