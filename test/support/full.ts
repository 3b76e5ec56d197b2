/** `npm run test:full` runs what takes longer: `rounds: full ? 200 : 5`. */
export const full = process.env.TILL_TEST === 'full'

/** Decides everything random in a money suite: the same in every short run, another in each full one, so named by whatever fails. */
export const seed = Number(process.env.TILL_SEED ?? (full ? Date.now() % 2 ** 31 : 20_418))
