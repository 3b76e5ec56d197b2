import { Agent as PlainAgent, request as plainRequest } from 'node:http'
import { Agent as SecureAgent, request as secureRequest } from 'node:https'
import type { IncomingMessage } from 'node:http'

/** Keeps connections to nodes open, since a node gets dozens of requests a second; `fetch` would take twice the processor time. */
const plain = { request: plainRequest, agent: new PlainAgent({ keepAlive: true }) }
const secure = { request: secureRequest, agent: new SecureAgent({ keepAlive: true }) }

interface PostRequest {
  readonly body: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

interface PostResponse {
  readonly status: number
  readonly text: string
}

/** POSTs JSON and returns the whole response within the time-out. Redirects are not followed. */
export async function post(url: URL, asked: PostRequest): Promise<PostResponse> {
  try {
    return await postOnce(url, asked)
  } catch (error) {
    // The server closed an idle connection just as we used it: the request was never processed, so send it again.
    if (error instanceof StaleConnection) return postOnce(url, asked)
    throw error
  }
}

class StaleConnection extends Error {}

/** More than any range of logs that we read. A longer response could only be an attempt to exhaust our memory. */
const maxBytes = 64 * 1024 * 1024

async function wholeText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new Error(`the response is longer than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const postOnce = (url: URL, { body, timeoutMs, signal }: PostRequest): Promise<PostResponse> =>
  new Promise((done, failed) => {
    const { request, agent } = url.protocol === 'https:' ? secure : plain
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const asking = request(url, { method: 'POST', agent, headers, signal }, (response) => {
      wholeText(response).then((answer) => done({ status: response.statusCode ?? 0, text: answer }), failed)
    })
    const timer = setTimeout(() => asking.destroy(new Error(`no response within ${timeoutMs} ms`)), timeoutMs)
    asking.on('close', () => clearTimeout(timer))
    asking.on('error', (error: NodeJS.ErrnoException) => {
      const isStale = asking.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
      failed(isStale ? new StaleConnection(error.message, { cause: error }) : error)
    })
    asking.end(body)
  })
