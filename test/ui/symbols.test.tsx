import { render } from '@testing-library/preact'
import { expect, test } from 'vitest'
import { addLateSymbols } from '../../src/ui/late-symbols.ts'
import { WalletTile } from '../../src/methods/wallet/view/wallet-tile.tsx'
import { Coin, NetworkMark } from '../../src/ui/mark.tsx'
import { SymbolSheet, symbolsIn } from '../../src/ui/symbol-sheet.tsx'
import { symbols } from '../../src/ui/symbols.ts'
import { chainIds } from '../../src/wire/chain-facts.ts'

const isDrawn = (id: string) => symbols.has(id)

test('default: every network that we know has a mark', () => {
  for (const chainId of chainIds) {
    const { container } = render(<NetworkMark chainId={chainId} />)
    expect([...symbolsIn(container.innerHTML)].map(isDrawn), String(chainId)).toEqual([true])
  }
})

test('behavior: a token has its mark in any spelling, and shows its letters without one', () => {
  const coin = (symbol: string) => render(<Coin of={{ symbol, chain_id: 8453 }} />).container
  for (const symbol of ['USDC', 'usdc', 'EURC']) expect([...symbolsIn(coin(symbol).innerHTML)].map(isDrawn), symbol).toEqual([true, true])
  expect([...symbolsIn(coin('WIDGET').innerHTML)].map(isDrawn)).toEqual([false, true])
  expect(coin('WIDGET').textContent).toBe('WIDG')
})

test('behavior: a wallet shows its own icon, or our mark, or its first letter', () => {
  const tile = (name: string, icon?: string) => render(<WalletTile name={name} icon={icon} />).container
  expect(tile('MetaMask', 'data:image/png;base64,AA==').querySelector('svg')).toBeNull()
  expect([...symbolsIn(tile('Trust Wallet').innerHTML)].map(isDrawn)).toEqual([true])
  expect([...symbolsIn(tile('Somebody’s').innerHTML)].map(isDrawn)).toEqual([false])
  expect(tile('Somebody’s').textContent).toBe('S')
})

test('behavior: the first response has only the symbols that it shows, and the others follow once', () => {
  const { container } = render(<SymbolSheet ids={new Set(['i-check', 'm-n8453', 'nonsense'])} />)
  const ids = () => [...container.querySelectorAll('symbol')].map(({ id }) => id)
  expect(ids()).toEqual(['i-check', 'm-n8453'])
  addLateSymbols()
  addLateSymbols()
  expect(ids().toSorted()).toEqual([...symbols.keys()].toSorted())
  expect(container.querySelector('#m-tUSDC')?.innerHTML).toContain('stroke="#2b6fd6"')
})
