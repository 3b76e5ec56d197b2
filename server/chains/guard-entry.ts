import * as z from 'zod'
import { addressOfKey, EvmAddress, type GuardConfig, isPrivateKey } from './evm/evm-config.ts'
import { membersBesideService, policyOf } from './guard-policy.ts'
import { type Env, type Mistake, Url } from './table-entry.ts'

export const GuardEntry = z.union(
  [
    z.strictObject({ env: z.string().min(1), ...membersBesideService }),
    z.strictObject({ url: Url, token_env: z.string().min(1), address: EvmAddress }),
  ],
  'must be {"env": "NAME"}, with limits as docs/guard.md says, or {"url": "…", "token_env": "NAME", "address": "0x…"}',
)

export type GuardEntry = z.output<typeof GuardEntry>

interface Others {
  readonly owner: string | undefined
  readonly operators: readonly { readonly chainId: number; readonly address: string | undefined }[]
}

/** One key that both sends and approves could move money anywhere. */
export function guardMistakes(guard: GuardEntry, { owner, operators }: Others, env: Env): readonly Mistake[] {
  if ('env' in guard && !isPrivateKey(env[guard.env]))
    return [{ path: 'guard.env', message: `the environment variable ${guard.env} must hold a private key (0x and 64 hex digits)` }]
  if ('token_env' in guard && !isGuardToken(env[guard.token_env]))
    return [
      {
        path: 'guard.token_env',
        message: `the environment variable ${guard.token_env} must hold the guard's token of 32 characters or more`,
      },
    ]
  const { address } = toGuard(guard, env)
  const path = 'env' in guard ? 'guard.env' : 'guard.address'
  const same = operators.filter((operator) => operator.address === address)
  return [
    ...(address === owner ? [{ path, message: 'is the factory’s owner: the guard needs a key of its own' }] : []),
    ...same.map(({ chainId }) => ({ path, message: `is the operator of chain ${chainId}: the guard needs a key of its own` })),
  ]
}

export const isGuardToken = (text: string | undefined): boolean => text !== undefined && /^[\x21-\x7e]{32,200}$/.test(text)

export function toGuard(guard: GuardEntry, env: Env): GuardConfig {
  if ('url' in guard)
    return { kind: 'remote', url: guard.url.replace(/\/$/, ''), token: env[guard.token_env] ?? '', address: guard.address }
  const privateKey = env[guard.env] as `0x${string}`
  return { kind: 'local', privateKey, address: addressOfKey(privateKey), policy: policyOf(guard) }
}
