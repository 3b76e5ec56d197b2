import type { Scenario } from './scenario.ts'
import { scenarioOf, scenarios } from './table.ts'

export type FoundScenario = { readonly scenario: Scenario } | { readonly problem: string; readonly isUnknown: boolean }

/** Finds a scenario by its name, which may have a parameter behind a colon: `underpay:37%`. A problem is a sentence that says what is expected. */
export function findScenario(text: string): FoundScenario {
  const [name = '', ...rest] = text.split(':')
  const scenario = scenarioOf(name)
  if (!scenario)
    return { isUnknown: true, problem: `There is no scenario "${name}". There are: ${scenarios.map((known) => known.name).join(', ')}.` }
  if (rest.length === 0) return { scenario }
  const { parameter } = scenario
  const given = rest.join(':')
  if (!parameter) return { isUnknown: false, problem: `The scenario "${name}" takes no parameter, and has "${given}".` }
  const played = parameter.apply(given)
  if (played) return { scenario: played }
  return { isUnknown: false, problem: `The scenario "${name}" takes ${parameter.expected}, like ${parameter.example}, and has "${given}".` }
}
