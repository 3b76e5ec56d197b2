import * as z from 'zod'
import { incrementalRate, minRelayRate } from '../policy.ts'
import { codes, method, RpcError } from './method.ts'

const latestTime = 9_223_372_036

/** The version says which release's behaviour it follows, and the name that it is not that release. */
export const version = { version: 290_000, subversion: '/Till-regtest:29.0.0/' }

export const controlMethods = {
  getnetworkinfo: method({}, () => ({
    ...version,
    protocolversion: 70_016,
    localservices: '0000000000000009',
    localservicesnames: ['NETWORK', 'WITNESS'],
    localrelay: true,
    timeoffset: 0,
    networkactive: false,
    connections: 0,
    connections_in: 0,
    connections_out: 0,
    networks: [],
    relayfee: minRelayRate,
    incrementalfee: incrementalRate,
    localaddresses: [],
    warnings: [],
  })),
  setmocktime: method({ timestamp: z.int() }, (node, { timestamp }) => {
    if (timestamp < 0 || timestamp > latestTime)
      throw new RpcError(codes.parameter, `Mocktime must be in the range [0, ${latestTime}], not ${timestamp}.`)
    node.setMockTime(timestamp)
    return null
  }),
}
