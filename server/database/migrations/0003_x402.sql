-- Signed authorisations (EIP-3009) that were taken on. A row is written before anything is broadcast, so a crash forgets none.
create table x402_authorizations (
  id text primary key,
  order_id text not null references orders,
  network text not null,
  asset text not null,
  payer text not null,
  nonce text not null,
  chain_id bigint not null,
  pay_to text not null,
  value numeric(78) not null,
  valid_before numeric(78) not null,
  signature text not null,
  -- pending: on its way, and nobody knows better. refused: the chain said no, but whoever holds it may still use it.
  -- settled: the money moved. failed: it can provably never move any more.
  state text not null check (state in ('pending', 'refused', 'settled', 'failed')),
  -- Each try is a send of its own.
  attempt integer not null default 1,
  tx_hash text,
  reason text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check (state <> 'settled' or tx_hash is not null)
);

-- The token takes a nonce once; so do we. What provably failed may be signed anew.
create unique index x402_authorizations_once on x402_authorizations (network, asset, payer, nonce) where state <> 'failed';
-- An order has at most one that moved or may yet move money.
create unique index x402_authorizations_one_per_order on x402_authorizations (order_id) where state <> 'failed';
create index x402_authorizations_of on x402_authorizations (order_id, created_at);
create index x402_authorizations_open on x402_authorizations (valid_before) where state in ('pending', 'refused');
