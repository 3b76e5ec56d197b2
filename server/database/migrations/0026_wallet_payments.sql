-- What was last built for a payer's wallet to sign and send, one for each order, so that no two of them can both pay it.
create table wallet_payments (
  order_id text primary key references orders (id),
  chain_id bigint not null,
  token text,
  payer text not null,
  amount numeric(78) not null,
  transaction text not null,
  -- The height of the chain after which no block can include it.
  valid_until bigint not null,
  built_at timestamptz not null default now()
);
