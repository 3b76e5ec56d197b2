import type { Client } from '../api/client.ts'
import type { OrderRead } from '../wire/order-read.ts'
import type { WalletRelay } from '../wire/boot.ts'

/**
 * A payment method is a folder with a flow (the steps of a payment) and a view (how each step is shown), plus an entry in methods.ts. The
 * folders never import each other, so adding a method means adding a folder and an entry.
 *
 * A flow yields steps. The model stores the latest one and the view shows it. A flow ends when the payment is made, when the payer leaves
 * (the signal is aborted), or with a step that explains a failure. It throws only for unexpected errors.
 */
export type Flow<Input, Step> = (ports: FlowPorts, input: Input, signal: AbortSignal) => AsyncGenerator<Step, void>

export interface FlowPorts {
  readonly api: Client
  /** Returns the latest snapshot. */
  readonly order: () => OrderRead
  /** Fetches the order again. It also resolves if that fails, because a payment that was made stays made. */
  readonly refresh: () => Promise<void>
  /** Returns unix milliseconds by the service's clock. */
  readonly now: () => number
  /** Without a relay, only wallets of this device can be used. */
  readonly walletRelay?: WalletRelay
}

/** The model allows one run of a flow at a time and stores its latest step. */
export interface RunningFlow<Input, Step> {
  readonly step: { readonly value: Step | undefined }
  run(input: Input): Promise<void>
  stop(): void
}

export type StartFlow = <Input, Step>(flow: Flow<Input, Step>) => RunningFlow<Input, Step>
