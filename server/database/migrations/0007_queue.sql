-- What a send may cost, and what stands in its way.
alter table sends
  -- The most gas that may be signed for it; without one, what the chain allows for a transaction.
  add column gas_cap numeric(78),
  -- Failures in a row, for the back-off, and until when it waits.
  add column failures integer not null default 0,
  add column not_before timestamptz,
  -- The last thing that stood in its way, for operators.
  add column problem text,
  -- How often nodes refused the bytes of its present slot; how many slots were given back for that reason.
  add column refusals integer not null default 0,
  add column slots_emptied integer not null default 0,
  -- It would revert now, and may not any more once this nonce of ours is mined.
  add column waits_for bigint,
  -- Once mined: what it took.
  add column gas_used numeric(78),
  -- A reorganisation took it after it was final. Lost: it was final again and did not do what it was for.
  add column reopened_at timestamptz,
  add column lost_at timestamptz;

-- An empty transaction takes a nonce whose own bytes no node accepts. Final: it is the one that spent the nonce.
alter table send_attempts
  add column is_empty boolean not null default false,
  add column is_final boolean not null default false;

update send_attempts set is_final = true
from sends where sends.id = send_id and sends.state = 'confirmed' and sends.mined_hash = tx_hash;

-- What stood on blocks that a reorganisation took.
create index sends_final on sends (chain_id, mined_block) where state = 'confirmed';
create index sends_lost on sends (chain_id) where lost_at is not null;
