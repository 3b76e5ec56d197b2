import recorded from './examples.json' with { type: 'json' }

/**
 * Answers that a real service gave to the requests of this page, by operation: test/docs/reference-examples.test.ts takes them, and fails
 * when a real answer has other members or another status than its example.
 */
export const examples: Readonly<Record<string, unknown>> = recorded
