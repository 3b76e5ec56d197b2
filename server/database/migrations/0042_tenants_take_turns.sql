-- Organisations take turns in the queues, so each row says whose it is. `tenant` still says that a row may share a transaction, and with whose:
-- processes from before this migration go by it while they are replaced.
alter table sends add column organization_id text;
alter table bitcoin_payouts add column organization_id text;
alter table solana_payouts add column organization_id text;

create index sends_turns on sends (chain_id, coalesce(organization_id, ''), priority, position) where state = 'queued';
create index bitcoin_payouts_turns on bitcoin_payouts (chain_id, coalesce(organization_id, ''), priority, position) where state = 'queued';
create index solana_payouts_turns on solana_payouts (chain_id, coalesce(organization_id, ''), priority, position) where state = 'queued';
