import recorded from './examples.json' with { type: 'json' }

/**
 * Responses of a real service to this page's requests, by operation. test/docs/reference-examples.test.ts records them, and fails when a
 * real response has other members or another status than its example.
 */
export const examples: Readonly<Record<string, unknown>> = recorded
