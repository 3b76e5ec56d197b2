import type { Client } from '../api/client.ts'
import type { OrderRead } from '../wire/order-read.ts'
import type { WalletRelay } from '../wire/boot.ts'

/**
 * A payment method is a folder: a flow (what happens, step by step), a view (what is seen of it) and an entry in methods.ts (how
 * it is offered). Folders never import each other; adding a method is adding a folder and an entry.
 *
 * A flow yields steps; the model writes them down; the view shows the latest. It ends when it is through, when the
 * payer leaves (the signal), or with a step that says why not. It throws only for surprises.
 */
export type Flow<Input, Step> = (ports: FlowPorts, input: Input, signal: AbortSignal) => AsyncGenerator<Step, void>

export interface FlowPorts {
  readonly api: Client
  /** The latest snapshot. */
  readonly order: () => OrderRead
  /** Reads the order again; resolves when the page shows it, or when nobody answers: what was done before is done all the same. */
  readonly refresh: () => Promise<void>
  /** By the service's clock. */
  readonly now: () => number
  /** Absent: only wallets of this device. */
  readonly walletRelay?: WalletRelay
}

/** A flow in the hands of the model: one run at a time, the latest step to be read. */
export interface RunningFlow<Input, Step> {
  readonly step: { readonly value: Step | undefined }
  run(input: Input): Promise<void>
  stop(): void
}

export type StartFlow = <Input, Step>(flow: Flow<Input, Step>) => RunningFlow<Input, Step>
