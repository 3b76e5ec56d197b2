/** The node understood and said no. `data` carries a contract's revert reason. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code = 'rpc_error'

  constructor(
    readonly method: string,
    readonly rpcCode: number,
    readonly reason: string,
    readonly data?: unknown,
  ) {
    super(`${method} was answered with error ${rpcCode}: ${reason}`)
  }
}
