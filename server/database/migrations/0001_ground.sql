create table organizations (
  id text primary key,
  name text not null,
  is_live boolean not null,
  settlement_chain_id bigint not null,
  settlement_address text,
  settlement_recipient text not null,
  fee_collector text not null,
  fees jsonb not null,
  tolerance_bps integer not null default 0 check (tolerance_bps between 0 and 1000),
  embed_origins text[] not null default '{}',
  created_at timestamptz not null default now()
);

create table api_keys (
  id text primary key,
  organization_id text not null references organizations,
  label text not null default '',
  api_key text not null unique,
  secret text not null,
  active boolean not null default true,
  is_internal boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  last_used_at timestamptz
);
create index api_keys_of on api_keys (organization_id);

-- The facts are the truth. `state` is their fold, which is stored so that a read needs only one row.
create table orders (
  id text primary key,
  organization_id text not null references organizations,
  parent_id text references orders,
  mode text not null,
  status text not null,
  deposit_address text not null unique,
  version integer not null,
  state jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  next_tick timestamptz
);
create index orders_newest on orders (organization_id, created_at desc, id desc);
create index orders_by_status on orders (organization_id, status, created_at desc, id desc);
create index orders_due on orders (next_tick) where next_tick is not null;

create table facts (
  order_id text not null references orders,
  number integer not null,
  at timestamptz not null,
  fact jsonb not null,
  primary key (order_id, number)
);

-- Watchers find transfers by block here, so every transfer that an order ever recorded has a row.
create table transfers (
  key text primary key,
  order_id text not null references orders,
  chain_id bigint not null,
  token text,
  tx_hash text not null,
  amount numeric(78, 0) not null check (amount >= 0),
  block bigint not null,
  block_hash text not null,
  state text not null check (state in ('seen', 'confirmed', 'applied', 'refunded', 'held', 'dropped'))
);
create index transfers_of on transfers (order_id);
create index transfers_unconfirmed on transfers (chain_id, block) where state = 'seen';
create index transfers_by_block on transfers (chain_id, block);

-- The ledger is in double entry: the rows of one fact in one currency add up to zero. `deposit` is money at deposit addresses, and
-- every other account is outside of them.
create table ledger (
  id bigserial primary key,
  order_id text not null,
  number integer not null,
  organization_id text not null references organizations,
  account text not null check (account in ('payers', 'deposit', 'recipient', 'fees', 'gas', 'refunds')),
  chain_id bigint not null,
  token text,
  amount numeric(78, 0) not null,
  foreign key (order_id, number) references facts
);
create index ledger_of_order on ledger (order_id);
create index ledger_of_organization on ledger (organization_id, account);

-- An event of the public log is serialised once, and read in the order that server/events/log.ts explains.
create table events (
  seq bigserial primary key,
  xid xid8 not null default pg_current_xact_id(),
  order_id text not null references orders,
  organization_id text not null,
  event text not null,
  socket_only boolean not null,
  delivered_at timestamptz not null,
  body text not null
);
create index events_in_order on events (xid, seq);
create index events_of on events (order_id, seq);

-- Transaction ids are comparable only within one cluster, so a restored copy on another cluster starts a new epoch.
create table epochs (
  epoch serial primary key,
  system_identifier text not null unique
);

create table chain_cursors (
  chain_id bigint primary key,
  block bigint not null,
  hash text not null,
  swept_at bigint not null default 0
);

create table chain_blocks (
  chain_id bigint not null,
  block bigint not null,
  hash text not null,
  primary key (chain_id, block)
);

create table webhooks (
  id text primary key,
  organization_id text not null references organizations,
  url text not null,
  events text[] not null,
  active boolean not null default true,
  secret text not null,
  previous_secret text,
  previous_until timestamptz,
  created_at timestamptz not null default now()
);
create index webhooks_of on webhooks (organization_id);

create table deliveries (
  id text primary key default gen_random_uuid()::text,
  webhook_id text not null references webhooks on delete cascade,
  order_id text not null,
  seq bigint not null references events,
  attempts integer not null default 0,
  next_at timestamptz not null default now(),
  first_tried_at timestamptz,
  leased_until timestamptz,
  done_at timestamptz,
  given_up_at timestamptz,
  last_error text,
  unique (webhook_id, seq)
);
create index deliveries_due on deliveries (next_at) where done_at is null and given_up_at is null;
create index deliveries_in_order on deliveries (webhook_id, order_id, seq) where done_at is null and given_up_at is null;

create table idempotency (
  organization_id text not null,
  operation text not null,
  key text not null,
  body_hash text not null,
  status integer,
  answer text,
  created_at timestamptz not null default now(),
  primary key (organization_id, operation, key)
);
create index idempotency_by_age on idempotency (created_at);

-- Only the local mode uses these prices, which a developer or a test has set.
create table local_prices (
  id text primary key,
  usd text not null,
  age_ms integer not null default 0
);
