-- A signed authorisation (EIP-3009) is stored here before we broadcast it, so that a crash loses none.
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
  -- A pending authorisation is in flight. A refused one had a failed transaction, but whoever holds the signature may still use it.
  -- A settled one has moved the money, and a failed one provably never can.
  state text not null check (state in ('pending', 'refused', 'settled', 'failed')),
  -- Each attempt is a separate send.
  attempt integer not null default 1,
  tx_hash text,
  reason text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check (state <> 'settled' or tx_hash is not null)
);

-- The token accepts a nonce only once, and so does this index. It ignores authorisations that have provably failed.
create unique index x402_authorizations_once on x402_authorizations (network, asset, payer, nonce) where state <> 'failed';
-- An order has at most one authorisation that has moved money or still may.
create unique index x402_authorizations_one_per_order on x402_authorizations (order_id) where state <> 'failed';
create index x402_authorizations_of on x402_authorizations (order_id, created_at);
create index x402_authorizations_open on x402_authorizations (valid_before) where state in ('pending', 'refused');
