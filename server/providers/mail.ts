export interface Mailbox {
  readonly name: string
  readonly address: string
}

export interface MailMessage {
  /** The message id stays the same over retries, so that a duplicate can be recognised. */
  readonly id: string
  readonly from: Mailbox
  readonly replyTo: Mailbox
  readonly to: Mailbox
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly attachments: readonly { readonly name: string; readonly type: string; readonly bytes: Buffer }[]
}

/** Once `send` resolves, the mail server is responsible for delivery. */
export interface Mail {
  send(message: MailMessage): Promise<void>
}

/** The mail server refused the mail for good, for example because the address does not exist. Every other failure is worth a retry. */
export class MailRefused extends Error {
  readonly code = 'mail_refused'
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'MailRefused'
  }
}
