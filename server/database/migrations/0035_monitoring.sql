-- Operators watch how long orders with money wait for their settlement, and how long money has been held. Both are read at every scrape, so each
-- has an index of its own. Rows that earlier releases write lack the times until their next change.
alter table orders add column status_since timestamptz;
alter table transfers add column held_at timestamptz;

update orders set status_since = updated_at where status in ('AWAITING_CONFIRMATION', 'OPTIMISTIC_CONFIRMED', 'EXECUTING_ORDER');
update transfers set held_at = orders.updated_at from orders where orders.id = transfers.order_id and transfers.state = 'held';

create index orders_unsettled on orders (status, status_since) where status in ('AWAITING_CONFIRMATION', 'OPTIMISTIC_CONFIRMED', 'EXECUTING_ORDER');
create index transfers_held on transfers (chain_id, held_at) where state = 'held';
-- Payouts that a reorganisation undid are few, and were looked for among all that ever were.
create index bitcoin_payouts_lost on bitcoin_payouts (chain_id) where lost_at is not null;
