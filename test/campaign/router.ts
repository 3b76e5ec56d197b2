import type { Anvil } from '../../local/chains/anvil.ts'
import { exchange } from '../../local/chains/uniswap.ts'

/** The router of a chain's exchange, which can be made to burn the gas of whoever calls it. */
export interface Router {
  fail(): Promise<void>
  work(): Promise<void>
  /** Code that was put in place by hand is undone by a reorganisation, so it is put in place again. */
  remind(): Promise<void>
}

const invalid = '0xfe'

export async function createRouter({ ask }: Anvil): Promise<Router> {
  const [working] = await ask(['eth_getCode', exchange.router, 'latest'])
  let code = working
  const put = async () => void (await ask(['anvil_setCode', exchange.router, code]))
  return {
    async fail() {
      code = invalid
      await put()
    },
    async work() {
      code = working
      await put()
    },
    remind: put,
  }
}
