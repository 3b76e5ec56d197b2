-- Outputs that pay deposit addresses, and what spends them. Blocks and the mempool are read once, and payouts read this.
create table bitcoin_coins (
  chain_id bigint not null,
  txid text not null,
  vout int not null,
  address text not null,
  amount bigint not null,
  -- Null while its transaction is in no block.
  height int,
  block_hash text,
  -- A miner's reward can be spent only when it is so deep.
  maturity int,
  -- Another transaction has spent what its transaction would have spent. It is in this block, or only waits.
  replaced_by text,
  replaced_height int,
  replaced_hash text,
  -- A transaction in a block spends it.
  spent_by text,
  spent_height int,
  spent_hash text,
  seen_at timestamptz not null default now(),
  primary key (chain_id, txid, vout)
);
create index bitcoin_coins_address on bitcoin_coins (chain_id, address);
create index bitcoin_coins_waiting on bitcoin_coins (chain_id) where height is null and replaced_height is null;
create index bitcoin_coins_height on bitcoin_coins (chain_id, height);
create index bitcoin_coins_spent on bitcoin_coins (chain_id, spent_height) where spent_height is not null;

-- What the transactions of these coins spend, so that one which takes the same is recognised.
create table bitcoin_inputs (
  chain_id bigint not null,
  txid text not null,
  outpoints text[] not null,
  primary key (chain_id, txid)
);

-- A send is one transaction, with every replacement that was signed for it, and pays one payout or several.
create table bitcoin_sends (
  id bigint generated always as identity primary key,
  chain_id bigint not null,
  created_at timestamptz not null default now()
);

create table bitcoin_attempts (
  chain_id bigint not null,
  txid text not null,
  send_id bigint not null references bitcoin_sends (id),
  raw text not null,
  fee bigint not null,
  vsize int not null,
  -- Each of these payouts bears a share of the fee.
  payouts text[] not null,
  fees bigint[] not null,
  signed_at timestamptz not null default now(),
  primary key (chain_id, txid)
);
create index bitcoin_attempts_send on bitcoin_attempts (send_id);
create index bitcoin_attempts_payouts on bitcoin_attempts using gin (payouts);

create table bitcoin_payouts (
  position bigint generated always as identity,
  id text primary key,
  chain_id bigint not null,
  order_id text not null,
  kind text not null,
  ref text not null,
  legs jsonb not null,
  priority int not null,
  tenant text,
  state text not null default 'queued' check (state in ('queued', 'sent', 'confirmed', 'failed')),
  send_id bigint references bitcoin_sends (id),
  -- The outputs that it spends. Whatever is signed for it spends all of them, so that only one can be mined.
  coins text[],
  -- Since this height of the chain one of them is not part of it any more.
  gone_since int,
  announced text[] not null default '{}',
  mined_txid text,
  mined_height int,
  mined_hash text,
  failures int not null default 0,
  not_before timestamptz,
  problem text,
  reopened_at timestamptz,
  lost_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index bitcoin_payouts_open on bitcoin_payouts (chain_id, priority, position) where state in ('queued', 'sent');
create index bitcoin_payouts_order on bitcoin_payouts (order_id);
create index bitcoin_payouts_height on bitcoin_payouts (chain_id, mined_height) where state = 'confirmed';
create index bitcoin_payouts_send on bitcoin_payouts (send_id) where send_id is not null;
create index bitcoin_payouts_coins on bitcoin_payouts using gin (coins);

-- A settlement that pays the network itself takes that from what the fee collector gets.
alter table ledger drop constraint ledger_account_check;
alter table ledger add constraint ledger_account_check
  check (account in ('payers', 'deposit', 'conversion', 'recipient', 'fees', 'gas', 'refunds', 'collector'));

-- An order that is set aside also remembers which of its transfers other transactions have replaced.
alter table set_aside add column replaced jsonb not null default '[]';

-- A merchant may want payments on some chains to be deeper, by amount.
alter table organizations add column confirmations jsonb;
