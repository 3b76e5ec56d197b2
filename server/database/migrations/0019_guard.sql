-- A contract wallet of the merchant's, or a key of its own, signs for refunds and conversions. Null is the operator's guard.
alter table organizations add column guard_address text;

-- What the guard inside the service has signed. Rows are kept for ever: a nonce stands for one move.
create table guard_moves (
  chain_id bigint not null,
  terms text not null,
  nonce numeric(78) not null,
  -- The digest of the move without its deadline.
  move text not null,
  organization text not null,
  -- What may be lost by it, in millionths of a dollar.
  at_risk numeric not null,
  -- A merchant's signed request approves one move.
  evidence text unique,
  -- Unix milliseconds by the guard's clock.
  signed_at bigint not null,
  primary key (chain_id, terms, nonce)
);
create index guard_moves_lately on guard_moves (signed_at);

-- Moves that wait for the signature of a merchant's own guard, and those that have it.
create table guard_approvals (
  digest text primary key,
  chain_id bigint not null,
  order_id text not null,
  guard text not null,
  -- What a wallet is asked to sign (EIP-712), as JSON.
  typed_data text not null,
  deadline timestamptz not null,
  signature text,
  asked_at timestamptz not null default now()
);
create index guard_approvals_open on guard_approvals (asked_at) where signature is null;
