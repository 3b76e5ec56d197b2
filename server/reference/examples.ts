import recorded from './examples.json' with { type: 'json' }

/**
 * A real service has sent these responses to this page's requests. test/docs/reference-examples.test.ts records them, and fails when a real
 * response has other members or another status than its example.
 */
export const examples: Readonly<Record<string, unknown>> = recorded
