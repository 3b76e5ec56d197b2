-- An invoice that is paid is confirmed to the customer once. Invoices that were paid before this are not.
alter table mails drop constraint mails_kind_check;
alter table mails add constraint mails_kind_check
  check (kind in ('invoice', 'invoice_paid', 'invoice_paid_twice', 'settlements_changed', 'moved_by_others', 'notice'));
-- These are printed on invoices that name neither themselves.
alter table organizations add column address text, add column tax_number text;
