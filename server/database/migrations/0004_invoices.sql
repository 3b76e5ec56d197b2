-- A draft has no published_at. An invoice's data never changes, but another order may come to pay it.
create table invoices (
  id text primary key,
  organization_id text not null references organizations,
  data jsonb not null,
  fiat_unit text not null,
  locale text not null,
  -- The search uses names, addresses and the number in folded form.
  search text not null,
  order_id text references orders,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  published_at timestamptz,
  archived_at timestamptz,
  check ((published_at is null) = (order_id is null)),
  check (archived_at is null or published_at is not null)
);
create index invoices_newest on invoices (organization_id, created_at desc, id desc);

create table invoice_orders (
  order_id text primary key references orders,
  invoice_id text not null references invoices,
  position integer not null,
  unique (invoice_id, position)
);

-- A mail is enqueued in the transaction that causes it, and its text is rendered when it is sent.
create table mails (
  id text primary key,
  kind text not null check (kind in ('invoice', 'invoice_paid_twice')),
  invoice_id text not null references invoices,
  order_id text references orders,
  attempts integer not null default 0,
  next_at timestamptz not null default now(),
  first_tried_at timestamptz,
  sent_at timestamptz,
  given_up_at timestamptz,
  last_error text,
  created_at timestamptz not null default now()
);
create index mails_due on mails (next_at) where sent_at is null and given_up_at is null;
create unique index mails_once on mails (kind, invoice_id, (coalesce(order_id, '')));

-- The provider's callbacks report these reusable bank accounts and the deposits into them.
create table bank_accounts (
  id text primary key,
  organization_id text not null references organizations,
  created_at timestamptz not null default now()
);

create table bank_deposits (
  id text primary key,
  account_id text not null references bank_accounts,
  status text not null check (status in ('PROCESSING', 'COMPLETED', 'FAILED')),
  source_currency text not null,
  destination jsonb not null,
  settlement jsonb,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index bank_deposits_newest on bank_deposits (account_id, created_at desc, id desc);

create table verifications (
  id text primary key,
  organization_id text not null references organizations,
  type text not null check (type in ('individual', 'business')),
  email text not null,
  email_folded text not null,
  full_name text,
  customer_id text not null unique,
  kyc_link text not null,
  kyc_status text not null,
  tos_link text not null,
  tos_status text not null,
  rejection_reasons jsonb not null default '[]',
  told_at timestamptz not null,
  created_at timestamptz not null default now(),
  unique (organization_id, type, email_folded)
);

-- Only a salted hash of the code is stored, so that this table does not contain the codes themselves.
create table email_challenges (
  id text primary key,
  organization_id text not null references organizations,
  email_folded text not null,
  code_hash bytea not null,
  salt bytea not null,
  attempts integer not null default 0,
  expires_at timestamptz not null,
  voided_at timestamptz,
  created_at timestamptz not null
);
create index email_challenges_of on email_challenges (email_folded, created_at);
