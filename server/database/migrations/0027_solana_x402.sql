-- Some signatures have no end of their own: only the operator can send them, so the queue knows what becomes of them.
alter table x402_authorizations alter column valid_before drop not null;

-- Besides paying, the queue opens and closes accounts for tokens, and sends what a payer has signed.
alter table solana_payouts add column task text not null default 'pay' check (task in ('pay', 'open', 'close', 'countersign'));
-- The payer's transaction in base64, and the hash of its message, which all its signers sign.
alter table solana_payouts add column given text;
alter table solana_payouts add column message_hash text;
alter table solana_payouts add check ((task = 'countersign') = (given is not null and message_hash is not null));
create index solana_payouts_message on solana_payouts (message_hash) where message_hash is not null;

-- Accounts of orders that the operator has opened, and whose rent he has paid, before any money was there.
create table solana_opened_accounts (
  -- The payout that opens it.
  id text primary key,
  chain_id bigint not null,
  account text not null,
  order_id text not null references orders (id),
  organization_id text not null,
  token text not null,
  opened_at timestamptz not null default now(),
  looked_at timestamptz not null default now(),
  closed_at timestamptz
);
create unique index solana_opened_accounts_open on solana_opened_accounts (chain_id, account) where closed_at is null;
create index solana_opened_accounts_tenant on solana_opened_accounts (organization_id) where closed_at is null;
create index solana_opened_accounts_looked on solana_opened_accounts (chain_id, looked_at) where closed_at is null;
