import { readFileSync } from 'node:fs'
import { UsageError } from './command.ts'
import { parseRepeats } from '../../src/wire/repeats.ts'
import { isObject, type Json } from '../../src/wire/terms/read-terms.ts'

/** What is asked about: an order as it was received, or terms alone. */
export type OrderInput = { readonly is: 'order'; readonly order: unknown } | { readonly is: 'terms'; readonly terms: Json }

const timeoutMs = 20_000
const maxBytes = 4 * 1024 * 1024

/**
 * An order is read from where a payer or a merchant reads it. Its page's URL needs no key: the page carries the order in its HTML, which is
 * what its script shows. The API's URL needs the publishable key. Neither is believed.
 */
export async function readOrderInput(source: string | undefined, apiKey: string | undefined): Promise<OrderInput> {
  if (!source) throw new UsageError("Name an order's URL, or a file that has its terms.")
  const json = /^https?:\/\//i.test(source) ? orderIn(await fetchText(source, apiKey), source) : parse(readFile(source), source)
  if (!isObject(json)) throw new Error(`${source} has neither an order nor terms.`)
  return 'settlements' in json && 'order_id' in json ? { is: 'terms', terms: json } : { is: 'order', order: json }
}

async function fetchText(url: string, apiKey: string | undefined): Promise<string> {
  if (!URL.canParse(url)) throw new UsageError(`${url} is not a URL.`)
  try {
    const response = await fetch(url, {
      headers: apiKey === undefined ? {} : { 'x-api-key': apiKey },
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (!response.ok) throw new Error(`HTTP ${response.status}`)
    const bytes = await response.arrayBuffer()
    if (bytes.byteLength > maxBytes) throw new Error(`more than ${maxBytes} bytes`)
    return new TextDecoder().decode(bytes)
  } catch (cause) {
    throw new Error(`${url} cannot be read (${cause instanceof Error ? cause.message : String(cause)}).`, { cause })
  }
}

/** The renderer writes `{boot: {order}}` into this element of a page. */
function orderIn(text: string, source: string): unknown {
  const data = /<script type="application\/json" id="boot">([^<]*)<\/script>/.exec(text)?.[1]
  if (data === undefined) return parse(text, source)
  const page = parse(data, source, parseRepeats)
  return isObject(page) && isObject(page.boot) ? page.boot.order : undefined
}

function readFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new Error(`${path} cannot be read (${cause instanceof Error ? cause.message : String(cause)}).`, { cause })
  }
}

function parse(text: string, source: string, read: (text: string) => unknown = JSON.parse): unknown {
  try {
    return read(text)
  } catch (cause) {
    throw new Error(`${source} has no JSON.`, { cause })
  }
}
