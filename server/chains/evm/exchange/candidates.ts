import { feeTiers } from './exchange.ts'
import type { Route } from './route.ts'

/** Each token in the middle means sixteen routes more to ask about. */
const mostHubs = 3

/** Every route to ask about, those that are likely to be the best first: directly, or through one of the most liquid tokens. */
export function candidates(from: string, to: string, hubs: readonly string[]): readonly Route[] {
  const between = [...new Set(hubs)].filter((hub) => hub !== from && hub !== to).slice(0, mostHubs)
  return [
    ...feeTiers.map((fee): Route => ({ tokens: [from, to], fees: [fee] })),
    ...between.flatMap((hub) =>
      feeTiers.flatMap((first) => feeTiers.map((second): Route => ({ tokens: [from, hub, to], fees: [first, second] }))),
    ),
  ]
}
