import type { Client } from '../api/client.ts'
import type { OrderRead } from '../wire/order-read.ts'
import type { WalletRelay } from '../wire/boot.ts'

/**
 * A payment method is a folder with a view, an entry in methods.ts, and a flow if it takes several steps. Folders never import each other.
 * A flow yields steps, of which the model stores the latest. Each input of the payer is a new run, which aborts the run before it by the
 * signal. A run may also end by itself, and an unexpected error makes it throw.
 */
export type Flow<Input, Step> = (ports: FlowPorts, input: Input, signal: AbortSignal) => AsyncGenerator<Step, void>

export interface FlowPorts {
  readonly api: Client
  readonly order: () => OrderRead
  /** Fetches the order again. It also resolves if that fails, because a payment that was made stays made. */
  readonly refresh: () => Promise<void>
  /** Returns unix milliseconds by the service's clock. */
  readonly now: () => number
  /** Without a relay, only wallets of this device can be used. */
  readonly walletRelay?: WalletRelay
  /** The address of the order has to follow from this contract. Without it orders are not checked. */
  readonly factory?: string
}

export interface RunningFlow<Input, Step> {
  readonly step: { readonly value: Step | undefined }
  run(input: Input): Promise<void>
  stop(): void
}

export type StartFlow = <Input, Step>(flow: Flow<Input, Step>) => RunningFlow<Input, Step>
