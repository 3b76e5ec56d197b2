-- Addresses that the signer has made ahead of orders. Its keys have numbers, and the address of key 0, which no order gets, names the signer.
create table solana_addresses (
  signer text not null,
  key_index bigint not null,
  address text primary key,
  order_id text unique,
  reserved_at timestamptz,
  unique (signer, key_index)
);
create index solana_addresses_free on solana_addresses (signer, key_index) where order_id is null;
create index solana_addresses_reserved on solana_addresses (signer, reserved_at) where order_id is not null;

-- The accounts at which money for orders arrives: the address itself takes coins, and each token has an account of its own there.
create table solana_accounts (
  chain_id bigint not null,
  account text not null,
  address text not null,
  token text,
  -- What it had when it was last read, and the last transaction of it that was reported.
  amount numeric(20) not null default 0,
  last_signature text,
  changed_at timestamptz not null default now(),
  read_at timestamptz not null default now(),
  primary key (chain_id, account)
);
create index solana_accounts_changed on solana_accounts (chain_id, changed_at);
create index solana_accounts_read on solana_accounts (chain_id, read_at);

-- Everything that was confirmed up to this slot has been read.
create table solana_cursors (
  chain_id bigint primary key,
  slot bigint not null
);

create table solana_payouts (
  position bigint generated always as identity,
  id text primary key,
  chain_id bigint not null,
  order_id text not null,
  kind text not null,
  ref text not null,
  token text,
  legs jsonb not null,
  -- Whether nothing is paid unless the first leg is.
  first_decides boolean not null,
  priority int not null,
  state text not null default 'queued' check (state in ('queued', 'sent', 'confirmed', 'failed')),
  -- Its latest transaction. A new one is signed only once no earlier one can be included any more.
  signature text,
  announced text[] not null default '{}',
  -- The cluster has confirmed that transaction in this slot.
  mined_slot bigint,
  failures int not null default 0,
  not_before timestamptz,
  problem text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index solana_payouts_open on solana_payouts (chain_id, priority, position) where state in ('queued', 'sent');
create index solana_payouts_order on solana_payouts (order_id);

-- Every transaction that was ever signed for a payout, written down before it was sent.
create table solana_attempts (
  chain_id bigint not null,
  signature text not null,
  payout_id text not null references solana_payouts (id),
  raw text not null,
  -- It can be included up to this height of the chain.
  last_valid_height bigint not null,
  -- Which legs it pays.
  paid jsonb not null,
  -- What was left of the coins was too little to stay, so the last leg got it too.
  dust bigint not null,
  signed_at timestamptz not null default now(),
  primary key (chain_id, signature)
);
create index solana_attempts_payout on solana_attempts (payout_id);
