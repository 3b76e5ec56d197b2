export interface Mailbox {
  readonly name: string
  readonly address: string
}

export interface MailMessage {
  /** The same however often it is sent: who has it already sees that it is the same. */
  readonly id: string
  readonly from: Mailbox
  readonly replyTo: Mailbox
  readonly to: Mailbox
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly attachments: readonly { readonly name: string; readonly type: string; readonly bytes: Buffer }[]
}

/** Somebody who takes mail to where it belongs. Resolved: it is their duty now. */
export interface Mail {
  send(message: MailMessage): Promise<void>
}

/** It will never be taken: the address does not exist, or is not served. Every other failure is worth another try. */
export class MailRefused extends Error {
  readonly code = 'mail_refused'
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'MailRefused'
  }
}
