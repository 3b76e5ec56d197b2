-- Settlements of one tenant that are due together may go in one transaction. It is a send of its own (its kind is 'batch') and takes the nonce
-- for its members, which are 'batched' until it is final. A member keeps its batch_id when it has left, and then goes alone.
alter table sends
  add column tenant text,
  add column batch_id text references sends (id),
  -- These hashes of the batch were reported for the member.
  add column announced text[] not null default '{}',
  -- A batch that was mined without paying this member has cost this much of its share.
  add column spent_fee numeric(78) not null default 0,
  add column spent_gas numeric(78) not null default 0;

alter table sends drop constraint sends_state_check;
alter table sends
  add constraint sends_state_check check (state in ('queued', 'batched', 'signed', 'broadcast', 'mined', 'confirmed', 'refused')),
  add constraint sends_batched check (state <> 'batched' or (batch_id is not null and nonce is null));
-- A member is final without a nonce of its own.
alter table sends drop constraint sends_check1;
alter table sends
  add constraint sends_signed check (
    state not in ('signed', 'broadcast', 'mined', 'confirmed') or nonce is not null or (state = 'confirmed' and batch_id is not null)
  );

create index sends_batch on sends (batch_id, position) where batch_id is not null;
create index sends_batched on sends (chain_id) where state = 'batched';
