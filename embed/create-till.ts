import { type CallOptions, callApi, type Method, type ServerOptions } from './call-api.ts'
import type { Api } from './generated/api.ts'
import { type Operation, operations } from './generated/operations.ts'
import { missing } from './till-error.ts'

export interface TillServer extends Api {
  /** Makes any other call whose signature does not cover the body. `path` starts after `/v3`, for example `/webhooks`. */
  call(method: Method, path: string, body?: object, options?: CallOptions): Promise<unknown>
}

const queryOf = (query: object | undefined): string => {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined)
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}

/** A forgotten id would call another path, which might exist. */
function pathOf(name: string, path: string, ids: readonly unknown[]): string {
  const left = [...ids]
  return path.replace(/:(\w+)/g, (_, param: string) => {
    const id = left.shift()
    if (typeof id !== 'string' || id === '') throw missing(`${name}: ${param}`, id, 'It is the id of what the call is about.')
    return encodeURIComponent(id)
  })
}

/** Makes a client of the whole API for a server. Its methods are those of the table of endpoints, and their errors are a `TillError`. */
export const createTill = (options: ServerOptions): TillServer => {
  const call = callApi(options)
  const perform = async (name: string, operation: Operation, given: readonly unknown[]): Promise<unknown> => {
    const [method, path, input, signsBody = false] = operation
    const ids = path.match(/:\w+/g)?.length ?? 0
    const [sent, options] = (input === 'none' ? [undefined, given[ids]] : given.slice(ids)) as [object?, CallOptions?]
    return call({
      ...options,
      method,
      path: pathOf(name, path, given.slice(0, ids)) + (input === 'query' ? queryOf(sent) : ''),
      body: input === 'body' ? sent : undefined,
      signsBody,
    })
  }
  const methods = Object.entries(operations).map(([name, operation]) => [
    name,
    (...given: readonly unknown[]) => perform(name, operation, given),
  ])
  return {
    ...(Object.fromEntries(methods) as Api),
    call: (method, path, body, more) => call({ ...more, method, path, body }),
  }
}
