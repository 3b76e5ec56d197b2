import { ApiKey, ApiKeyChange, ApiKeyList, ApiKeyPath } from './api-key.ts'
import { FeeBalance } from './amount.ts'
import { endpoint } from './endpoint.ts'
import { GuardMove, GuardMoveList, GuardMovePath, GuardMoveSignature } from './guard-move.ts'
import { PageQuery } from './pagination.ts'
import { Settlements, SettlementsChange } from './settlement.ts'

/** The part of the table of endpoints that is about an organisation itself. */
export const accountEndpoints = {
  getSettlements: endpoint({
    method: 'GET',
    path: '/organization/settlements',
    auth: 'SIGNED',
    summary: 'Where your sales are settled',
    status: 200,
    answer: Settlements,
  }),
  putSettlements: endpoint({
    method: 'PUT',
    path: '/organization/settlements',
    auth: 'BODY-SIGNED',
    summary: 'Change where your sales are settled (in force after a day)',
    body: SettlementsChange,
    status: 200,
    answer: Settlements,
    errors: [403, 422, 502, 503],
  }),
  listGuardMoves: endpoint({
    method: 'GET',
    path: '/organization/guard-moves',
    auth: 'SIGNED',
    summary: 'Moves that wait for the signature of your own guard',
    query: PageQuery,
    status: 200,
    answer: GuardMoveList,
  }),
  signGuardMove: endpoint({
    method: 'PUT',
    path: '/organization/guard-moves/:digest/signature',
    auth: 'SIGNED',
    summary: 'Hand in the signature of your own guard',
    params: GuardMovePath,
    body: GuardMoveSignature,
    status: 200,
    answer: GuardMove,
    callsExternal: true,
    errors: [422, 502],
  }),
  listApiKeys: endpoint({ method: 'GET', path: '/api-keys', auth: 'SIGNED', summary: 'List API keys', status: 200, answer: ApiKeyList }),
  changeApiKey: endpoint({
    method: 'PATCH',
    path: '/api-keys/:api_key_id',
    auth: 'SIGNED',
    summary: 'Relabel an API key',
    params: ApiKeyPath,
    body: ApiKeyChange,
    status: 200,
    answer: ApiKey,
  }),
  feeBalance: endpoint({
    method: 'GET',
    path: '/fees/balance',
    auth: 'SIGNED',
    summary: 'The claimable fee balance',
    status: 200,
    answer: FeeBalance,
  }),
} as const
