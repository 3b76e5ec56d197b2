import { signal } from '@preact/signals'
import type { Flow, FlowPorts, RunningFlow } from '../methods/method.ts'

/** Stores each step that a flow yields. A new run aborts the previous one, whose later steps are ignored. */
export const runFlow = <Input, Step>(flow: Flow<Input, Step>, ports: () => Promise<FlowPorts>): RunningFlow<Input, Step> => {
  const step = signal<Step>()
  let current: AbortController | undefined
  return {
    step,
    stop: () => {
      current?.abort()
      step.value = undefined
    },
    run: async (input) => {
      current?.abort()
      const run = new AbortController()
      current = run
      for await (const next of flow(await ports(), input, run.signal)) {
        if (!run.signal.aborted) step.value = next
      }
    },
  }
}
