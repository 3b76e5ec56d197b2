import * as z from 'zod'
import { tokenBalance } from '../token-balance.ts'
import { accountJson, uiAmount } from './encode.ts'
import { AccountConfig, Address, codes, Config, method, requireSlot, RpcError, withContext } from './method.ts'

const mostAddresses = 100

export const accountMethods = {
  getBalance: method([Address, Config], (ledger, address, config) => {
    requireSlot(ledger, config)
    return withContext(ledger, config.commitment, ledger.account(address, config.commitment)?.lamports ?? 0n)
  }),
  getAccountInfo: method([Address, AccountConfig], (ledger, address, config) => {
    requireSlot(ledger, config)
    const { commitment, encoding, dataSlice } = config
    return withContext(ledger, commitment, accountJson(ledger.account(address, commitment), encoding, ledger, dataSlice))
  }),
  getMultipleAccounts: method([z.array(Address), AccountConfig], (ledger, addresses, config) => {
    if (addresses.length > mostAddresses) throw new RpcError(codes.invalidParams, `Too many inputs provided; max ${mostAddresses}`)
    requireSlot(ledger, config)
    const { commitment, encoding, dataSlice } = config
    const accounts = addresses.map((address) => accountJson(ledger.account(address, commitment), encoding, ledger, dataSlice))
    return withContext(ledger, commitment, accounts)
  }),
  getTokenAccountBalance: method([Address, Config], (ledger, address, { commitment }) => {
    const balance = tokenBalance(ledger.account(address, commitment), (mint) => ledger.account(mint, commitment))
    if (!balance) throw new RpcError(codes.invalidParams, 'Invalid param: could not find account')
    return withContext(ledger, commitment, uiAmount(balance))
  }),
  getMinimumBalanceForRentExemption: method([z.int().min(0), Config], (ledger, bytes) => ledger.rent(BigInt(bytes))),
}
