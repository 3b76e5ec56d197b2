import type { MessageKey, Messages } from './messages.ts'

/** Texts that only a method's own screens say, reasons, which the server writes into its page, and what only it draws of invoices. */
const later =
  /^(why[A-Z]|wallets[A-Z]|wallet(Used|Ready|OpenApp|Unnamed|Busy|Locked|NoNetwork|Failed|Account|Poor|Gas|Reverts|Unsent|Undone|Again|Over)|theWallet$|otherWallets$|sign[A-Z]|sendIn$|switch[A-Z]|continueIn$|continueLead$|connectLead$|waitingFor$|waitingSlow$|notSigned|checkAgain$|sending[A-Z]|unsentTitle$|elsewhere[A-Z]|restSent$|inApp[A-Z]|copyLink$|openFullPage$|fee(None|About)$|fromWallet$|card(?!Hint)[A-Z]|invoice|(downloadPdf|issuedOn|dueOn|taxAt|subtotal)$|payOnline)/

/** What a page is sent with: all that a first screen can say. The rest comes with the screen that says it (load.ts). */
export const firstMessages = (messages: Messages): Partial<Messages> =>
  Object.fromEntries(Object.entries(messages).filter(([key]) => !later.test(key as MessageKey))) as Partial<Messages>
