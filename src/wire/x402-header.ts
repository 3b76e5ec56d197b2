/** x402 headers are standard padded base64 of UTF-8 JSON. What the page echoes is compared by the service, so nothing in it may change. */

export const encodeHeader = (value: unknown): string =>
  btoa(Array.from(new TextEncoder().encode(JSON.stringify(value)), (byte) => String.fromCharCode(byte)).join(''))

/** Returns undefined if it is not such a header. The value is as it was sent, unknown members included. */
export const decodeHeader = (header: string | null): unknown => {
  try {
    const bytes = Uint8Array.from(atob(header ?? ''), (letter) => letter.charCodeAt(0))
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}
