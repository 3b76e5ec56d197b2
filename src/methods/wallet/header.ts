/** x402 headers: standard padded base64 of UTF-8 JSON. Exact to the byte, for what is echoed is compared. */

export const encodeHeader = (value: unknown): string =>
  btoa(Array.from(new TextEncoder().encode(JSON.stringify(value)), (byte) => String.fromCharCode(byte)).join(''))

/** Undefined: not such a header. What comes back is as it was sent, unknown members included. */
export const decodeHeader = (header: string | null): unknown => {
  try {
    const bytes = Uint8Array.from(atob(header ?? ''), (letter) => letter.charCodeAt(0))
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}
