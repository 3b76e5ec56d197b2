import { type Mail, type Mailbox, MailRefused } from './mail.ts'

const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 } as const

/** Names and subjects are untrusted, so each becomes one short line, which cannot add headers. */
const singleLine = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, 200)

const mailbox = ({ name, address }: Mailbox) => ({ name: singleLine(name), address })

/** Connects to a mail server by its URL, smtp://user:password@mail.example:587 (with STARTTLS if offered) or smtps://. */
export function smtpMail(url: string): Mail {
  // The module is loaded with the first mail, so that a service that sends none starts without it.
  const open = async () =>
    (await import('nodemailer')).createTransport({ url, ...timeouts, disableFileAccess: true, disableUrlAccess: true })
  let transport: ReturnType<typeof open> | undefined
  return {
    async send({ id, from, replyTo, to, subject, text, html, attachments }) {
      try {
        await (
          await (transport ??= open())
        ).sendMail({
          messageId: `<${id}>`,
          from: mailbox(from),
          replyTo: mailbox(replyTo),
          to: mailbox(to),
          subject: singleLine(subject),
          text,
          html,
          attachments: attachments.map((attachment) => ({
            filename: attachment.name,
            contentType: attachment.type,
            content: attachment.bytes,
          })),
          headers: { 'Auto-Submitted': 'auto-generated' },
        })
      } catch (error) {
        const permanent =
          typeof error === 'object' &&
          error !== null &&
          'responseCode' in error &&
          Number(error.responseCode) >= 550 &&
          Number(error.responseCode) <= 559
        const message = error instanceof Error ? error.message : String(error)
        throw permanent ? new MailRefused(message, { cause: error }) : error
      }
    },
  }
}
