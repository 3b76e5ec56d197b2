import { randomBytes } from 'node:crypto'
import { address, createKeyPairSignerFromPrivateKeyBytes } from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import { mintOf } from '../../../../server/chains/solana/mints.ts'
import type { LocalSolana } from '../../../solana/start-local-solana.ts'
import { makeTokens, tokenPayment } from '../../../solana/tokens.ts'
import { transact } from '../../../solana/transact.ts'
import type { LocalPrices } from '../../../prices.ts'
import { CannotPlay } from '../../cannot-play.ts'
import { lowerPrice } from '../lower-price.ts'
import type { Money, Network, Payer } from '../network.ts'
import { slotsByHand } from './slots-by-hand.ts'

/** The payer pays fees, and rent for the account of whom he pays. */
const reserve = 10_000_000n

export function solanaNetwork(solana: LocalSolana, prices: LocalPrices): Network {
  const { config, node } = solana
  const { ledger, faucet } = node

  async function payerWith({ token, raw }: Money): Promise<Payer> {
    const payer = await createKeyPairSignerFromPrivateKeyBytes(randomBytes(32))
    await faucet.pay(payer.address, reserve + (token === null ? raw : 0n))
    if (token === null)
      return {
        address: payer.address,
        send: (to) => transact(ledger, payer, [getTransferSolInstruction({ source: payer, destination: address(to), amount: raw })]),
      }
    const decimals = config.tokens.find((known) => known.address === token)?.decimals
    const mint = mintOf(config.tokens, token)
    if (decimals === undefined || !mint) throw new CannotPlay(`There is no token ${token} on this network.`)
    await makeTokens(ledger, faucet, mint, payer.address, raw)
    return {
      address: payer.address,
      send: async (to) => transact(ledger, payer, await tokenPayment(payer, { mint, to: address(to), amount: raw, decimals })),
    }
  }

  return {
    chainId: config.chainId,
    family: 'solana',
    tokens: config.tokens,
    mine: async (slots) => ledger.advance(slots),
    payerWith,
    byHand: (run) => node.byHand(() => run(slotsByHand(ledger, config.confirmations))),
    withLowerPrice: lowerPrice(prices, { id: 'sol', name: 'SOL' }),
  }
}
