import type { Hex } from 'viem'
import * as z from 'zod'

const Artifact = z.object({ bytecode: z.string().regex(/^0x[0-9a-f]+$/) })

/** Reads what others have compiled and published. These are development dependencies, and nothing of them is in a build. */
export function publishedCode(load: () => unknown): Hex {
  try {
    return Artifact.parse(load()).bytecode as Hex
  } catch (cause) {
    throw new Error('The local chains need packages that `npm ci` installs unless it omits development dependencies.', { cause })
  }
}
