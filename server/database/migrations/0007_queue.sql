alter table sends
  -- A send that needs more gas is refused. Without a cap the chain's own limit applies.
  add column gas_cap numeric(78),
  -- Consecutive failures determine the back-off, which ends at not_before.
  add column failures integer not null default 0,
  add column not_before timestamptz,
  -- Operators read the latest problem here.
  add column problem text,
  -- refusals counts rejections of the bytes at the present nonce, and slots_emptied the nonces given back because of such rejections.
  add column refusals integer not null default 0,
  add column slots_emptied integer not null default 0,
  -- The call reverts now, but may succeed once our transaction with this nonce is mined.
  add column waits_for bigint,
  -- The gas that was used is known once the send is mined.
  add column gas_used numeric(78),
  -- reopened_at is when a reorganisation undid the send after it was final, and lost_at when it then failed.
  add column reopened_at timestamptz,
  add column lost_at timestamptz;

-- An empty transaction uses a nonce whose own bytes no node accepts. The attempt that used the nonce in the end is final.
alter table send_attempts
  add column is_empty boolean not null default false,
  add column is_final boolean not null default false;

update send_attempts set is_final = true
from sends where sends.id = send_id and sends.state = 'confirmed' and sends.mined_hash = tx_hash;

-- After a deep reorganisation, confirmed sends are looked up by their blocks.
create index sends_final on sends (chain_id, mined_block) where state = 'confirmed';
create index sends_lost on sends (chain_id) where lost_at is not null;
