export interface Mailbox {
  readonly name: string
  readonly address: string
}

export interface MailMessage {
  /** The message id, constant over retries, so that a duplicate is recognised as one. */
  readonly id: string
  readonly from: Mailbox
  readonly replyTo: Mailbox
  readonly to: Mailbox
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly attachments: readonly { readonly name: string; readonly type: string; readonly bytes: Buffer }[]
}

/** A mail server. Once `send` resolves, delivery is its responsibility. */
export interface Mail {
  send(message: MailMessage): Promise<void>
}

/** Permanent: the address does not exist or is not served. Every other failure is worth a retry. */
export class MailRefused extends Error {
  readonly code = 'mail_refused'
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'MailRefused'
  }
}
