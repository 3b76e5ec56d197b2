/** x402 headers are padded base64 of UTF-8 JSON. The service compares what the page echoes, so decoding must not drop members. */

export const encodeHeader = (value: unknown): string =>
  btoa(Array.from(new TextEncoder().encode(JSON.stringify(value)), (byte) => String.fromCharCode(byte)).join(''))

/** Returns undefined for anything but base64 of JSON. Members that the page does not know are preserved. */
export const decodeHeader = (header: string | null): unknown => {
  try {
    const bytes = Uint8Array.from(atob(header ?? ''), (letter) => letter.charCodeAt(0))
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}
