import type { Scenario } from './page.ts'

/** What Till's local mode can play, and the order that each wants. */
export async function scenariosOf(payUrl: string): Promise<readonly (Scenario & { readonly order: object })[]> {
  const response = await fetch(`${payUrl}/test/scenarios`)
  if (!response.ok) return []
  const { scenarios } = (await response.json()) as { scenarios: (Scenario & { order: object })[] }
  return scenarios
}
