-- Everything that must happen on a chain by an operator's hand, in the order in which it was asked for.
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
  -- The slot, from the moment of signing: which account, which number, and the head of the chain then.
  operator text,
  nonce bigint,
  signed_block bigint,
  -- Where it was last seen in a block.
  mined_hash text,
  mined_block bigint,
  mined_block_hash text,
  refusal text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((operator is null) = (nonce is null)),
  check (state not in ('signed', 'broadcast', 'mined', 'confirmed') or nonce is not null)
);

-- Two drivers by mistake (a lease lost unnoticed) cannot give one number to two sends.
create unique index sends_slot on sends (chain_id, operator, nonce) where nonce is not null;
create index sends_open on sends (chain_id, state, position) where state in ('queued', 'signed', 'broadcast', 'mined');
create index sends_order on sends (order_id);

-- Every transaction that was ever signed for a send. The bytes are written before they are broadcast, and kept: a crash or
-- a reorganisation sends the same ones again.
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
