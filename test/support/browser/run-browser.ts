import type { TestProject } from 'vitest/node'
import { serveBrowser } from './browser.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the run's own Chromium listens: test files open contexts in it, which is quicker than a browser each. */
    browser?: string
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { address, close } = await serveBrowser()
  project.provide('browser', address)
  return close
}
