/** An app's own address, as a wallet gave it: a link for a tap, and nothing that would run or load here. */
export const openable = (address: unknown): string | undefined => {
  if (typeof address !== 'string' || address.length > 200 || !URL.canParse(address)) return undefined
  const { protocol } = new URL(address)
  const isOurs = /^(javascript|data|blob|file|filesystem|about|http|ws|wss|view-source|vbscript|intent|content):$/.test(protocol)
  return isOurs ? undefined : address
}
