/** These use WebCrypto, which Node 20, Deno, Bun and edge runtimes have. */
const text = new TextEncoder()

export const keyOf = (secret: string): Promise<CryptoKey> =>
  crypto.subtle.importKey('raw', text.encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify'])

const hex = (bytes: ArrayBuffer): string => Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')

export const hmacHex = async (secret: string, message: string): Promise<string> =>
  hex(await crypto.subtle.sign('HMAC', await keyOf(secret), text.encode(message)))

export const sha256Hex = async (message: string): Promise<string> => hex(await crypto.subtle.digest('SHA-256', text.encode(message)))
