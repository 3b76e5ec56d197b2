import { expect, test } from 'vitest'
import type { Bank } from '../../server/providers/bank.ts'

export interface BankStage {
  readonly bank: Bank
  readonly account: { readonly id: string; readonly organization_id: string }
  setDown(down: boolean): Promise<void>
}

export function bankContract(stage: () => BankStage): void {
  test('default: an account names its owner, and a missing account is undefined', async () => {
    const { bank, account } = stage()
    expect(await bank.account(account.id)).toEqual(account)
    expect(await bank.account('bank_nobody')).toBeUndefined()
    expect(await bank.account('../accounts/bank_local?x=1#y')).toBeUndefined()
  })

  test('error: an unreachable bank is unavailable, not empty', async () => {
    const { bank, account, setDown } = stage()
    await setDown(true)
    await expect(bank.account(account.id)).rejects.toMatchObject({ code: 'provider_unavailable' })
    await setDown(false)
    expect(await bank.account(account.id)).toEqual(account)
    await expect(bank.account(account.id, AbortSignal.abort())).rejects.toMatchObject({ code: 'provider_unavailable' })
  })
}
