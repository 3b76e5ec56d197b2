-- What others have moved is stored in the transaction that advances the cursor, and then recorded on its order, each by itself and with retries. So
-- an order that cannot record it loses nothing and holds up no other.
alter table foreign_moves
  add column position bigint generated always as identity,
  -- 'found' still has to be recorded, and 'lost' still has to be undone because a reorganisation has removed it.
  add column state text not null default 'recorded' check (state in ('found', 'recorded', 'lost')),
  add column move jsonb,
  add column attempts integer not null default 0,
  add column next_at timestamptz not null default now(),
  add column problem text,
  add constraint foreign_moves_found check (state <> 'found' or move is not null);
create index foreign_moves_due on foreign_moves (chain_id, next_at) where state <> 'recorded';
create index foreign_moves_address on foreign_moves (chain_id, address) where state <> 'recorded';

-- It counts the changes of the cursor, so that what was read before a reorganisation is never stored after it was undone.
alter table move_cursors add column version bigint not null default 0;
