/** Guides that going-live.test.ts follows one after the other in a production setup. */
export const production: readonly string[] = ['docs/guides/going-live.md', 'docs/guides/several-processes.md']
