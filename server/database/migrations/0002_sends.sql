-- A send is a call that an operator must broadcast. `position` is the order in which sends were enqueued.
create table sends (
  id text primary key,
  position bigint generated always as identity,
  chain_id bigint not null,
  to_address text not null,
  data text not null,
  value numeric(78) not null,
  kind text not null,
  order_id text not null,
  ref text not null,
  state text not null default 'queued' check (state in ('queued', 'signed', 'broadcast', 'mined', 'confirmed', 'refused')),
  -- The slot is assigned at signing. It consists of the account, the nonce, and the chain's head at that time.
  operator text,
  nonce bigint,
  signed_block bigint,
  -- The mined columns name the transaction that was mined and its block.
  mined_hash text,
  mined_block bigint,
  mined_block_hash text,
  refusal text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((operator is null) = (nonce is null)),
  check (state not in ('signed', 'broadcast', 'mined', 'confirmed') or nonce is not null)
);

-- Even two processes that both believe that they have the lease cannot assign one nonce to two sends.
create unique index sends_slot on sends (chain_id, operator, nonce) where nonce is not null;
create index sends_open on sends (chain_id, state, position) where state in ('queued', 'signed', 'broadcast', 'mined');
create index sends_order on sends (order_id);

-- An attempt is a transaction that was signed for a send. Its bytes are stored before they are broadcast and never deleted,
-- because the same bytes are broadcast again after a crash or a reorganisation.
create table send_attempts (
  tx_hash text primary key,
  send_id text not null references sends (id) on delete cascade,
  chain_id bigint not null,
  operator text not null,
  nonce bigint not null,
  raw text not null,
  gas numeric(78) not null,
  max_fee numeric(78) not null,
  max_priority numeric(78) not null,
  signed_at timestamptz not null default clock_timestamp(),
  announced boolean not null default false
);

create index send_attempts_send on send_attempts (send_id);
create index send_attempts_slot on send_attempts (chain_id, operator, nonce);
