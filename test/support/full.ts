/** `npm run test:full` runs longer loops, as in `rounds: full ? 200 : 5`. */
export const full = process.env.TILL_TEST === 'full'

/** A test that kills a process at one step after another takes each in a full run, and each third in a short one. */
export const killStride = full ? 1 : 3

/** The seed of the money suites' randomness. It is fixed in short runs and new in each full one, so failures print it. */
export const seed = Number(process.env.TILL_SEED ?? (full ? Date.now() % 2 ** 31 : 20_418))
