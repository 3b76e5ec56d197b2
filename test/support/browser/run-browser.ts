import type { TestProject } from 'vitest/node'
import { serveBrowser } from './browser.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the run's Chromium. A context in it starts faster than a browser for each test file. */
    browser?: string
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { address, close } = await serveBrowser()
  project.provide('browser', address)
  return close
}
