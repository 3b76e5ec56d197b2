import { expect, test } from 'vitest'
import type { Email } from 'postal-mime'
import { type Mail, type MailMessage, MailRefused } from '../../server/providers/mail.ts'

/** Each implementation provides a mailer, and an inbox to inspect. */
export interface MailStage {
  readonly mail: Mail
  readonly received: () => readonly { readonly to: readonly string[]; readonly email: Email }[]
  /** Makes the mail server fail with this problem, or work again when undefined. */
  answerWith(trouble: 'busy' | 'no_such_user' | undefined): void
}

const message = (more: Partial<MailMessage> = {}): MailMessage => ({
  id: `mail_${Math.random().toString(36).slice(2)}@pay.example`,
  from: { name: 'Northwind Coffee', address: 'invoices@pay.example' },
  replyTo: { name: 'Northwind Coffee', address: 'billing@northwind.example' },
  to: { name: 'Harbour Studio', address: 'accounts@harbour.example' },
  subject: 'Invoice NW-1 from Northwind Coffee',
  text: 'One line.\n\nhttps://pay.example/invoice/inv_1',
  html: '<p>One line.</p><a href="https://pay.example/invoice/inv_1">Pay</a>',
  attachments: [{ name: 'invoice-NW-1.pdf', type: 'application/pdf', bytes: Buffer.from('%PDF-1.3 \0\xff\n.\n..\nend', 'latin1') }],
  ...more,
})

export function mailContract(stage: () => MailStage): void {
  const sent = async (mail: MailMessage) => {
    await stage().mail.send(mail)
    const found = stage()
      .received()
      .find(({ email }) => email.messageId === `<${mail.id}>`)
    if (!found) throw new Error('it did not arrive')
    return found
  }

  test('default: text, HTML and attachment arrive byte for byte', async () => {
    const mail = message()
    const { to, email } = await sent(mail)
    expect(to).toEqual(['accounts@harbour.example'])
    expect(email).toMatchObject({ subject: mail.subject, from: mail.from, to: [mail.to], replyTo: [mail.replyTo] })
    expect(email.text?.trim()).toBe(mail.text)
    expect(email.html?.trim()).toBe(mail.html)
    expect(email.attachments).toMatchObject([{ filename: 'invoice-NW-1.pdf', mimeType: 'application/pdf', disposition: 'attachment' }])
    expect(Buffer.from(email.attachments[0]!.content as ArrayBuffer).equals(mail.attachments[0]!.bytes)).toBe(true)
  })

  test('behavior: a resent message keeps its id', async () => {
    const mail = message()
    await sent(mail)
    await sent(mail)
    expect(
      stage()
        .received()
        .filter(({ email }) => email.messageId === `<${mail.id}>`),
    ).toHaveLength(2)
  })

  test('behavior: every script survives in names, subject and text', async () => {
    const name = 'Źdźbło مقهى 株式会社 עברית हिन्दी 😀'
    const { email } = await sent(
      message({
        from: { name, address: 'invoices@pay.example' },
        to: { name, address: 'accounts@harbour.example' },
        subject: `Rechnung ${name}`,
        text: name,
      }),
    )
    expect([email.from?.name, email.to?.[0]?.name, email.subject, email.text?.trim()]).toEqual([name, name, `Rechnung ${name}`, name])
  })

  test('error: a hostile name adds no header and no second recipient', async () => {
    const evil = 'Evil\r\nBcc: victim@example.com\n\n<script>, "a" <b@example.com>'
    const { to, email } = await sent(
      message({
        from: { name: evil, address: 'invoices@pay.example' },
        subject: `Invoice ${evil}`,
        to: { name: evil, address: 'accounts@harbour.example' },
      }),
    )
    expect(to).toEqual(['accounts@harbour.example'])
    expect(email.bcc ?? []).toEqual([])
    expect(email.to).toHaveLength(1)
    expect(email.from?.address).toBe('invoices@pay.example')
    expect(email.headers.filter(({ key }) => key === 'bcc')).toEqual([])
  })

  test('error: a temporary failure is worth a retry, a permanent one is refused', async () => {
    stage().answerWith('busy')
    const busy = await stage()
      .mail.send(message())
      .catch((error: unknown) => error)
    expect(busy).toBeInstanceOf(Error)
    expect(busy).not.toBeInstanceOf(MailRefused)
    stage().answerWith('no_such_user')
    await expect(stage().mail.send(message())).rejects.toBeInstanceOf(MailRefused)
    stage().answerWith(undefined)
    await sent(message())
  })
}
