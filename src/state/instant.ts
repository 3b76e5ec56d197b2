/** Milliseconds, or undefined for what is no date. */
export const parseInstant = (text: string | undefined): number | undefined => {
  const ms = text ? Date.parse(text) : Number.NaN
  return Number.isNaN(ms) ? undefined : ms
}
