import type { Step } from '../state/step.ts'
import { Choose } from './choose.tsx'
import { Method } from './method.tsx'

/** Choosing a way to pay, and the ways that bring a screen of their own. */
export const Ways = ({ step }: { step: Extract<Step, { at: 'choose' | 'method' }> }) =>
  step.at === 'method' ? <Method slug={step.slug} /> : <Choose />

export type WaysScreen = typeof Ways
