import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/mini'

const Versions = z.array(
  z.object({
    version: z.string(),
    /** Its path in the built client. */
    file: z.string(),
    integrity: z.string(),
    /** A released version never changes. The one that is being built still may. */
    isKept: z.boolean(),
  }),
)

export type ScriptVersion = z.infer<typeof Versions>[number]

/** The versions of till.js that a merchant's page can ask for, this build's first (embed/releases.mjs writes the list). */
export const scriptVersions = (dir: string): readonly ScriptVersion[] =>
  Versions.parse(JSON.parse(readFileSync(join(dir, 'till-versions.json'), 'utf8')))
