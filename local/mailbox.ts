import type { AddressInfo } from 'node:net'
import type { Hono } from 'hono'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { escapeHtml } from '../server/lib/escape-html.ts'

/** Local machines have no mail server, so this one accepts every mail, keeps the newest in memory, and shows them on a page. */
export interface LocalMailbox {
  readonly url: string
  readonly messages: readonly StoredMail[]
  /** Makes the server refuse every recipient, for tests. Undefined makes it accept them again. */
  answerWith(trouble: Trouble | undefined): void
  stop(): Promise<void>
}

export interface StoredMail {
  readonly number: number
  readonly to: readonly string[]
  readonly email: Email
}

export type Trouble = 'busy' | 'no_such_user'

const kept = 200
const largest = 25 * 1024 * 1024

async function wholeOf(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

export async function startMailbox(): Promise<LocalMailbox> {
  const messages: StoredMail[] = []
  let received = 0
  let trouble: Trouble | undefined
  const answers: Record<Trouble, { code: number; text: string }> = {
    busy: { code: 451, text: 'The server is busy.' },
    no_such_user: { code: 550, text: 'There is no such user here.' },
  }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    size: largest,
    logger: false,
    onRcptTo(_address, _session, done) {
      if (!trouble) return done()
      const { code, text } = answers[trouble]
      done(Object.assign(new Error(text), { responseCode: code }))
    },
    onData(stream, session, done) {
      wholeOf(stream)
        .then((bytes) => PostalMime.parse(bytes))
        .then(
          (email) => {
            messages.push({ number: ++received, to: session.envelope.rcptTo.map((recipient) => recipient.address), email })
            if (messages.length > kept) messages.shift()
            done()
          },
          (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
        )
    },
  })
  server.on('error', () => undefined)
  await new Promise<void>((resolve, reject) => {
    server.server.once('error', reject)
    server.listen(0, '127.0.0.1', () => resolve())
  })
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    messages,
    answerWith: (next) => {
      trouble = next
    },
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

const strict = {
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'; frame-ancestors 'self'",
  'cache-control': 'no-store',
}
const sandboxed = {
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox allow-popups; frame-ancestors 'self'",
  'cache-control': 'no-store',
}

/** Serves the received mails, as pages for people and as JSON for tests. */
export function mailRoutes(app: Hono, mailbox: LocalMailbox): void {
  const found = (number: string): StoredMail | undefined => mailbox.messages.find((message) => message.number === Number(number))
  const page = (title: string, body: string): string =>
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title><style>body{font:16px/1.5 system-ui,sans-serif;max-width:800px;margin:40px auto;padding:0 16px}td,th{text-align:start;padding:6px 12px 6px 0}iframe{width:100%;height:480px;border:1px solid #ccc}</style></head><body>${body}</body></html>`
  app.get('/test/mail', (c) => {
    const rows = mailbox.messages
      .toReversed()
      .map(
        ({ number, to, email }) =>
          `<tr><td>${escapeHtml(email.date ?? '')}</td><td>${escapeHtml(to.join(', '))}</td><td><a href="/test/mail/${number}">${escapeHtml(email.subject ?? '(no subject)')}</a></td></tr>`,
      )
    return c.html(
      page(
        'Mail',
        `<h1>Mail</h1>${rows.length > 0 ? `<table><tr><th>Date</th><th>To</th><th>Subject</th></tr>${rows.join('')}</table>` : '<p>Nothing was sent yet.</p>'}`,
      ),
      200,
      strict,
    )
  })
  app.get('/test/mail.json', (c) =>
    c.json(
      mailbox.messages.map(({ number, to, email }) => ({
        number,
        to,
        message_id: email.messageId,
        from: email.from,
        reply_to: email.replyTo,
        subject: email.subject,
        text: email.text,
        html: email.html,
        attachments: email.attachments.map(({ filename, mimeType }, index) => ({
          filename,
          mimeType,
          url: `/test/mail/${number}/attachments/${index}`,
        })),
      })),
      200,
      { 'cache-control': 'no-store' },
    ),
  )
  app.get('/test/mail/:number{[0-9]+}', (c) => {
    const mail = found(c.req.param('number'))
    if (!mail) return c.notFound()
    const { email, number, to } = mail
    const attachments = email.attachments.map(
      ({ filename }, index) => `<li><a href="/test/mail/${number}/attachments/${index}">${escapeHtml(filename ?? 'attachment')}</a></li>`,
    )
    const link = /https?:\/\/\S+/.exec(email.text ?? '')?.[0]
    return c.html(
      page(
        email.subject ?? '',
        `<p><a href="/test/mail">All mail</a></p><h1>${escapeHtml(email.subject ?? '')}</h1><p>To ${escapeHtml(to.join(', '))}</p>${link ? `<p><a href="${escapeHtml(link)}">${escapeHtml(link)}</a></p>` : ''}<iframe src="/test/mail/${number}/body" title="Body"></iframe><ul>${attachments.join('')}</ul>`,
      ),
      200,
      strict,
    )
  })
  app.get('/test/mail/:number{[0-9]+}/body', (c) => {
    const mail = found(c.req.param('number'))
    return mail ? c.html(mail.email.html ?? `<pre>${escapeHtml(mail.email.text ?? '')}</pre>`, 200, sandboxed) : c.notFound()
  })
  app.get('/test/mail/:number{[0-9]+}/attachments/:at{[0-9]+}', (c) => {
    const attachment = found(c.req.param('number'))?.email.attachments[Number(c.req.param('at'))]
    if (!attachment) return c.notFound()
    const bytes = typeof attachment.content === 'string' ? new TextEncoder().encode(attachment.content) : new Uint8Array(attachment.content)
    return new Response(bytes, {
      headers: {
        'content-type': attachment.mimeType,
        'content-disposition': `inline; filename="${(attachment.filename ?? 'attachment').replace(/[^A-Za-z0-9._-]/g, '-')}"`,
        'x-content-type-options': 'nosniff',
        ...strict,
      },
    })
  })
}
