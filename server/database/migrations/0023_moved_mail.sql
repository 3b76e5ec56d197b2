-- A merchant gets one mail about an order whose money somebody else has moved.
alter table mails drop constraint mails_kind_check;
alter table mails add constraint mails_kind_check check (kind in ('invoice', 'invoice_paid_twice', 'settlements_changed', 'moved_by_others'));
create unique index mails_moved on mails (order_id) where kind = 'moved_by_others';
