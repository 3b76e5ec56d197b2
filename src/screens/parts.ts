import type { Chunk } from '../state/chunk.ts'
import type { Later } from './later.tsx'
import type { WaysScreen } from './ways.tsx'

/** Screens beside the one with the address: a page starts with those it shows, and fetches the others when they come near. */
export interface Parts {
  readonly ways: Chunk<WaysScreen>
  readonly later: Chunk<Later>
}
