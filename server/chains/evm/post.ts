import { Agent as PlainAgent, request as plainRequest, type IncomingMessage } from 'node:http'
import { Agent as SecureAgent, request as secureRequest } from 'node:https'

/** Connections to nodes stay open, because a new connection for each of dozens of requests a second would slow them down. */
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

/** Posts JSON and returns the whole response, or rejects after the time-out. It follows no redirects. */
export async function post(url: URL, input: PostRequest): Promise<PostResponse> {
  try {
    return await postOnce(url, input)
  } catch (error) {
    // The server closed an idle connection just as we used it. The request is repeated, since all our JSON-RPC calls are idempotent.
    if (error instanceof StaleConnection) return postOnce(url, input)
    throw error
  }
}

class StaleConnection extends Error {}

/** A longer response is an error, so that a faulty or hostile node cannot exhaust our memory. */
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
    const clientRequest = request(url, { method: 'POST', agent, headers, signal }, (response) => {
      wholeText(response).then((answer) => done({ status: response.statusCode ?? 0, text: answer }), failed)
    })
    const timer = setTimeout(() => clientRequest.destroy(new Error(`no response within ${timeoutMs} ms`)), timeoutMs)
    clientRequest.on('close', () => clearTimeout(timer))
    clientRequest.on('error', (error: NodeJS.ErrnoException) => {
      const isStale = clientRequest.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
      failed(isStale ? new StaleConnection(error.message, { cause: error }) : error)
    })
    clientRequest.end(body)
  })
