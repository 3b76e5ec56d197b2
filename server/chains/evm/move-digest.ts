import { hashTypedData, keccak256, zeroAddress, zeroHash, type Address, type Hex } from 'viem'
import { termsHash } from '../../../src/wire/terms/terms-hash.ts'
import type { GuardRequest } from '../guard.ts'

const orNative = (token: string | null) => (token ?? zeroAddress) as Address

const types = {
  EIP712Domain: [
    { name: 'name', type: 'string' },
    { name: 'version', type: 'string' },
    { name: 'chainId', type: 'uint256' },
    { name: 'verifyingContract', type: 'address' },
  ],
  Move: [
    { name: 'terms', type: 'bytes32' },
    { name: 'tokenIn', type: 'address' },
    { name: 'amountIn', type: 'uint256' },
    { name: 'tokenOut', type: 'address' },
    { name: 'leastOut', type: 'uint256' },
    { name: 'router', type: 'address' },
    { name: 'data', type: 'bytes32' },
    { name: 'legs', type: 'Leg[]' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
  Leg: [
    { name: 'to', type: 'address' },
    { name: 'amount', type: 'uint256' },
  ],
} as const

type Signable = Pick<GuardRequest, 'chainId' | 'terms' | 'move'>

export const moveDigest = (signable: Signable): Hex => hashTypedData(moveTypedData(signable))

/** Returns what a guard signs for a move, on the chain and for the factory of the order's terms (EIP-712). */
export function moveTypedData({ chainId, terms, move }: Signable) {
  const { conversion } = move
  return {
    domain: { name: 'Till', version: '1', chainId: BigInt(chainId), verifyingContract: terms.factory as Address },
    types,
    primaryType: 'Move',
    message: {
      terms: `0x${termsHash(terms)}` as Hex,
      tokenIn: orNative(move.tokenIn),
      amountIn: conversion?.amountIn ?? 0n,
      tokenOut: orNative(move.tokenOut),
      leastOut: conversion?.leastOut ?? 0n,
      router: (conversion?.router ?? zeroAddress) as Address,
      data: conversion ? keccak256(conversion.data) : zeroHash,
      legs: move.legs.map(({ to, amount }) => ({ to: to as Address, amount })),
      nonce: move.nonce,
      deadline: move.deadline,
    },
  } as const
}
