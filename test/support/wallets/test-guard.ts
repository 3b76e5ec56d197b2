import { privateKeyToAccount } from 'viem/accounts'
import type { Guard, GuardRequest } from '../../../server/chains/guard.ts'
import { moveDigest } from '../../../server/chains/evm/move-digest.ts'
import type { LocalAccount } from '../../../local/chains/accounts.ts'

/** Signs whatever it is asked for, since what a guard refuses has its own tests. `before` may throw in its place. */
export function testGuard(
  { private_key }: Pick<LocalAccount, 'private_key'>,
  before: (request: GuardRequest) => unknown = () => {},
): Guard {
  const account = privateKeyToAccount(private_key)
  return {
    address: account.address.toLowerCase(),
    isMachine: true,
    sign: async (request) => {
      await before(request)
      return account.sign({ hash: moveDigest(request) })
    },
  }
}
