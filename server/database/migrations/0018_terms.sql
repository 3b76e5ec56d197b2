-- A move that the terms alone do not allow needs the guard's signature before it gets a nonce. Its call is encoded with that signature.
alter table sends add column move jsonb;
alter table sends add column approved_until timestamptz;
alter table sends add column waits_for_guard boolean not null default false;
-- The result of a transaction is read from the events of these terms.
alter table sends add column terms_hash text;

create index sends_unapproved on sends (chain_id, position) where state = 'queued' and move is not null;

-- Anybody may move money from an order's address to where its terms say. Final blocks are read for that up to this block.
create table move_cursors (
  chain_id bigint primary key,
  block bigint not null
);

-- What others have moved, so that a reorganisation can undo it.
create table foreign_moves (
  chain_id bigint not null,
  id text not null,
  address text not null,
  block bigint not null,
  primary key (chain_id, id)
);
create index foreign_moves_block on foreign_moves (chain_id, block);

-- An order of an earlier release has no terms, and the contracts that this release uses move nothing for it.
do $$
declare
  held integer;
begin
  select count(distinct order_id) into held from (
    select order_id from ledger where account = 'deposit' and chain_id < 20000000000000 group by order_id, chain_id, token having sum(amount) > 0
    union all
    select order_id from transfers where state = 'seen' and chain_id < 20000000000000
  ) as open;
  if held > 0 then
    raise exception '% orders of an earlier release hold money that only that release can move: settle or refund it there first. In local mode, delete the data folder.', held;
  end if;
end $$;
