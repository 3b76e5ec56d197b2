import { callbackHeader, signCallback } from '../../server/providers/callback.ts'

/** Posts a signed callback and, like a provider, retries if it is not accepted. It throws after `attempts` failures. */
export async function postCallback(url: string, secret: string, body: object, attempts = 5): Promise<void> {
  const bytes = new TextEncoder().encode(JSON.stringify(body))
  for (let attempt = 1; ; attempt++) {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', [callbackHeader]: signCallback(secret, bytes, Date.now()) },
      body: bytes,
      signal: AbortSignal.timeout(5_000),
    }).catch((error: unknown) => error)
    if (answer instanceof Response && answer.ok) return
    if (attempt >= attempts)
      throw new Error(
        `${url} did not accept the callback: ${answer instanceof Response ? `${answer.status} ${await answer.text()}` : String(answer)}`,
      )
    await new Promise((resolve) => setTimeout(resolve, 100 * attempt))
  }
}
