/** Guides that are followed in production's way, one after the other: going-live.test.ts. */
export const production: readonly string[] = ['docs/guides/going-live.md', 'docs/guides/several-processes.md']
