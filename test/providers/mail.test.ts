import { afterAll, beforeAll } from 'vitest'
import { type LocalMailbox, startMailbox } from '../../local/mailbox.ts'
import { smtpMail } from '../../server/providers/smtp-mail.ts'
import { mailContract } from '../contracts/mail.ts'

let mailbox: LocalMailbox
beforeAll(async () => {
  mailbox = await startMailbox()
})
afterAll(() => mailbox?.stop())

mailContract(() => ({ mail: smtpMail(mailbox.url), received: () => mailbox.messages, answerWith: mailbox.answerWith }))
