-- The tenant of every payout is known, so that tenants take turns. Whether a payout may share a transaction is said by itself.
alter table sends add column may_share boolean not null default false;
update sends set may_share = true where tenant is not null and state in ('queued', 'batched', 'signed', 'broadcast', 'mined');
alter table bitcoin_payouts add column may_share boolean not null default false;
update bitcoin_payouts set may_share = true where tenant is not null and state in ('queued', 'sent');
alter table solana_payouts add column tenant text;

create index sends_turns on sends (chain_id, coalesce(tenant, ''), priority, position) where state = 'queued';
create index bitcoin_payouts_turns on bitcoin_payouts (chain_id, coalesce(tenant, ''), priority, position) where state = 'queued';
create index solana_payouts_turns on solana_payouts (chain_id, coalesce(tenant, ''), priority, position) where state = 'queued';
