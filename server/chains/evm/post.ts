import { Agent as PlainAgent, request as plainRequest } from 'node:http'
import { Agent as SecureAgent, request as secureRequest } from 'node:https'
import type { IncomingMessage } from 'node:http'

/** A node is asked dozens of times a second, so its connections stay open; `fetch` would take twice the processor time for the same. */
const plain = { request: plainRequest, agent: new PlainAgent({ keepAlive: true }) }
const secure = { request: secureRequest, agent: new SecureAgent({ keepAlive: true }) }

interface Post {
  readonly body: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

interface Posted {
  readonly status: number
  readonly text: string
}

/** JSON to a node and its answer, whole, within the time. No redirect is followed. */
export async function post(url: URL, asked: Post): Promise<Posted> {
  try {
    return await once(url, asked)
  } catch (error) {
    // It closed an idle connection at the moment of asking: that is no answer, and no failure either.
    if (error instanceof ClosedMeanwhile) return once(url, asked)
    throw error
  }
}

class ClosedMeanwhile extends Error {}

/** More than any range of logs that is asked for. What a node sends beyond it is somebody's attempt to fill our memory. */
const mostBytes = 64 * 1024 * 1024

async function wholeText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > mostBytes) throw new Error(`the answer is longer than ${mostBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const once = (url: URL, { body, timeoutMs, signal }: Post): Promise<Posted> =>
  new Promise((done, failed) => {
    const { request, agent } = url.protocol === 'https:' ? secure : plain
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const asking = request(url, { method: 'POST', agent, headers, signal }, (response) => {
      wholeText(response).then((answer) => done({ status: response.statusCode ?? 0, text: answer }), failed)
    })
    const timer = setTimeout(() => asking.destroy(new Error(`nothing within ${timeoutMs} ms`)), timeoutMs)
    asking.on('close', () => clearTimeout(timer))
    asking.on('error', (error: NodeJS.ErrnoException) => {
      const isStale = asking.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
      failed(isStale ? new ClosedMeanwhile(error.message, { cause: error }) : error)
    })
    asking.end(body)
  })
