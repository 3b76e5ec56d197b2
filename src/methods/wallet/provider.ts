/** Wallets inject this into a page (EIP-1193). A request may resolve, reject with any error, or never settle. */
export interface Provider {
  request(args: { readonly method: string; readonly params?: unknown }): Promise<unknown>
  on?(event: string, listener: (payload: never) => void): unknown
  removeListener?(event: string, listener: (payload: never) => void): unknown
}

/** A request to a wallet fails for one of these reasons, which the page explains to the payer. */
export type Refusal =
  | 'rejected'
  /** Another request is still open in the wallet. */
  | 'busy'
  /** The wallet is locked, or gives this page no account. */
  | 'locked'
  /** The wallet does not know the network and did not add it. */
  | 'network'
  /** The wallet is disconnected, or its pairing has ended. */
  | 'disconnected'
  /** The pairing code expired before a wallet answered. */
  | 'pairing_expired'
  /** The relay to wallets on other devices cannot be reached. */
  | 'unreachable'
  | 'failed'

/** The page raises this refusal itself, without an error from a wallet. */
export class WalletRefusal extends Error {
  override readonly name = 'WalletRefusal'
  constructor(readonly refusal: Refusal) {
    super(refusal)
  }
}

/** Wallets and libraries wrap errors in their own, so this follows the causes until it finds a known code or message. */
export const refusalOf = (error: unknown): Refusal => {
  for (let at: unknown = error, depth = 0; typeof at === 'object' && at !== null && depth < 8; depth++) {
    if (at instanceof WalletRefusal) return at.refusal
    const { code, name, message, data, cause } = at as {
      code?: unknown
      name?: unknown
      message?: unknown
      data?: unknown
      cause?: unknown
    }
    switch (Number(code)) {
      case 4001:
      // WalletConnect has error codes of its own.
      case 5000:
      case 5001:
      case 5002:
      case 5003:
        return 'rejected'
      case -32002:
        return 'busy'
      case 4100:
        return 'locked'
      case 4900:
      case 4901:
      case 6000:
        return 'disconnected'
      case 4902:
        return 'network'
    }
    if (code === 'ACTION_REJECTED') return 'rejected'
    if (typeof name === 'string' && /SwitchChainNotSupported|ChainMismatch|ChainNotConfigured/.test(name)) return 'network'
    if (typeof message === 'string' && cause === undefined && data === undefined) {
      if (/user (rejected|denied|cancel)|rejected by user/i.test(message)) return 'rejected'
      if (/already (pending|processing)/i.test(message)) return 'busy'
    }
    at = cause ?? (data as { originalError?: unknown } | undefined)?.originalError ?? data
  }
  return 'failed'
}
