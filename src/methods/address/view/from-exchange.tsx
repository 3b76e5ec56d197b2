import { FundsText } from '../../../i18n/amount-text.tsx'
import { useWords } from '../../../i18n/words.ts'
import type { Funds } from '../../../wire/funds.ts'
import { exchangeNames, mistakenNetworks } from './exchange.ts'
import { invitesSeveral } from './invites-several.ts'

/** Says which network to choose at an exchange, and to add its fee. */
export const FromExchange = ({ due }: { due: Funds }) => {
  const words = useWords()
  const { chain_id } = due.currency
  const names = exchangeNames(chain_id)
  const others = mistakenNetworks(chain_id)
  return (
    <div>
      <p>
        {names.length > 0 && words.rich('exchangeNetwork', { network: <b>{words.either(names)}</b> })}{' '}
        {others.length > 0 && words.t('exchangeNot', { others: words.either(others) })}
      </p>
      <p>
        {words.rich('exchangeFee', { amount: <FundsText of={due} /> })}
        {invitesSeveral(chain_id) && ` ${words.t('exchangeSeveral')}`}
      </p>
    </div>
  )
}
