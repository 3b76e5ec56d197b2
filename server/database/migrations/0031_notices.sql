-- A notice tells a merchant something about the organisation itself. The same notice is mailed once.
alter table mails add column organization_id text references organizations, add column notice jsonb, add column notice_key text;
alter table mails drop constraint mails_kind_check;
alter table mails add constraint mails_kind_check
  check (kind in ('invoice', 'invoice_paid_twice', 'settlements_changed', 'moved_by_others', 'notice'));
create unique index mails_notices on mails (organization_id, notice_key) where kind = 'notice';
