import { anyOf } from '../../../i18n/any-of.ts'
import { FundsText } from '../../../i18n/amount-text.tsx'
import { useAllWords, useWords } from '../../../i18n/words.ts'
import type { Funds } from '../../../wire/funds.ts'
import { exchangeNames, mistakenNetworks } from './exchange.ts'
import { invitesSeveral } from './invites-several.ts'

/** A transfer on another network is the most common mistake at an exchange, so this is not hidden. */
export const ExchangeNetwork = ({ due }: { due: Funds }) => {
  const words = useWords()
  const { chain_id } = due.currency
  const names = exchangeNames(chain_id)
  const others = mistakenNetworks(chain_id)
  return (
    <small>
      {names.length > 0 && words.rich('exchangeNetwork', { network: <b>{anyOf(words, names)}</b> })}{' '}
      {others.length > 0 && words.t('exchangeNot', { others: anyOf(words, others) })}
    </small>
  )
}

/** Says to add the fee of an exchange. */
export const FromExchange = ({ due }: { due: Funds }) => {
  const words = useAllWords()
  return (
    <div>
      <p>
        {words.rich('exchangeFee', { amount: <FundsText of={due} /> })}
        {invitesSeveral(due.currency.chain_id) && ` ${words.t('countsSeveral')}`}
      </p>
    </div>
  )
}
