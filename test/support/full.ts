/** `npm run test:full` runs what takes longer: `rounds: full ? 200 : 5`. */
export const full = process.env.TILL_TEST === 'full'
