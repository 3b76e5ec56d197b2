-- An organisation is paid in several currencies. Each row is a whole list, and the newest that is in force and not cancelled counts. An
-- organisation without a row has the list of one that its own columns name, which the previous release reads and writes.
create table settlement_changes (
  number bigint generated always as identity primary key,
  organization_id text not null references organizations,
  settlements jsonb not null,
  asked_by text not null check (asked_by in ('operator', 'api')),
  asked_at timestamptz not null default now(),
  in_force_at timestamptz not null default now(),
  cancelled_at timestamptz,
  -- A list that was asked for by API waits until its owner has been mailed about it.
  announced boolean not null default true,
  -- Whoever has the token from the mail may cancel the change before it is in force.
  token text unique
);
create index settlement_changes_newest on settlement_changes (organization_id, in_force_at desc, number desc) where cancelled_at is null;

-- A change of the settlements is announced to this address.
alter table organizations add column email text;

-- A mail is about an invoice or about a change of the settlements.
alter table mails alter column invoice_id drop not null;
alter table mails add column settlement_change bigint unique references settlement_changes;
alter table mails drop constraint mails_kind_check;
alter table mails add constraint mails_kind_check check (kind in ('invoice', 'invoice_paid_twice', 'settlements_changed'));
