import type { Step } from '../state/step.ts'
import { Confirming } from './confirming.tsx'
import { Done } from './done.tsx'
import { Expired } from './expired.tsx'
import { Failed } from './failed.tsx'
import { MethodsFailed } from './methods-failed.tsx'
import { Pick } from './pick.tsx'
import { Received } from './received.tsx'
import { Refunded } from './refunded.tsx'
import { RestWays } from './rest-ways.tsx'
import { Strays } from './strays.tsx'
import { Timer } from './timer.tsx'
import { Transfers } from './transfers.tsx'
import { Unknown } from './unknown.tsx'

/** Steps that most pages do not start with. */
export type LaterStep = Exclude<Step, { at: 'choose' | 'pay' | 'method' }>

const Screen = ({ step }: { step: LaterStep }) => {
  switch (step.at) {
    case 'pick':
      return <Pick />
    case 'confirming':
      return <Confirming step={step} />
    case 'done':
      return <Done step={step} />
    case 'expired':
      return <Expired step={step} />
    case 'refunded':
      return <Refunded step={step} />
    case 'failed':
      return <Failed step={step} />
    case 'unknown':
      return <Unknown />
    default:
      return step satisfies never
  }
}

/** What most pages do not start with, as a chunk of its own: the screens behind the first ones, and what comes with money. */
export const later = { Screen, MethodsFailed, Received, RestWays, Strays, Timer, Transfers }

export type Later = typeof later
