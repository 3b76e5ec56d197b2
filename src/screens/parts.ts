import type { ComponentType } from 'preact'
import type { Chunk } from '../state/chunk.ts'
import type { Later } from './later.tsx'
import type { PayScreen } from './pay.tsx'
import type { WaysScreen } from './ways.tsx'

/** The screens, in pieces: a page starts with those it shows, and fetches the others when they come near. */
export interface Parts {
  readonly ways: Chunk<WaysScreen>
  readonly pay: Chunk<PayScreen>
  readonly later: Chunk<Later>
  /** In another app's browser. */
  readonly wayOut: Chunk<ComponentType>
}
