import type { Scenario } from '../scenario.ts'

export const cardDeclined: Scenario = {
  name: 'card-declined',
  title: 'Card declined',
  sentence: 'The card provider does not take the card: the page says so, and another card or another way is one tap away.',
  way: 'card',
  families: ['evm'],
  async play({ declineCard, say, look, until }) {
    say('The payer is on the card provider’s page.')
    await look()
    say('The provider declines the card.')
    await declineCard()
    await until(({ payment }) => payment?.steps.some((step) => step.kind === 'stripe_onramp' && step.data.message !== undefined) ?? false)
    say('The order still waits. Nothing was charged.')
  },
  ends: ({ due }) => ({ status: 'AWAITING_PAYMENT', received: 0n, remaining: due, card: 'requires_payment' }),
}
