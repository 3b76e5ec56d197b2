-- Who made an order decides whom it reaches. Of orders that do not say: a SALE was always signed, an invoice's order and a REFUND are
-- the service's own. A DEPOSIT took the publishable key alone, and nobody noted whether it was signed too: it counts as a stranger's
-- (server/orders/model/created-by.ts says the same). Computed, so that the release before goes on writing orders.
alter table orders add column created_by text not null generated always as (
  coalesce(state #>> '{terms,createdBy}', case
    when mode = 'DEPOSIT' then 'key'
    when mode = 'SALE' and state #>> '{terms,invoiceId}' is null then 'signature'
    else 'service' end)) stored;
create index orders_by_creator on orders (organization_id, created_by, created_at desc, id desc);

alter table events add column unsigned boolean not null default false;
update events set unsigned = true from orders where orders.id = events.order_id and orders.created_by = 'key';

alter table webhooks add column include_unsigned boolean not null default false;
alter table organizations add column unsigned_orders boolean not null default false;

-- What is signed for comes first: 0 for signed orders, 1 for those made with the publishable key alone.
alter table sends add column priority smallint not null default 0;
drop index sends_open;
create index sends_open on sends (chain_id, state, priority, position) where state in ('queued', 'signed', 'broadcast', 'mined');

-- What operators burnt for an organisation, by the hour. An unsigned order books what settling it costs when it is made: afterwards
-- nothing can be refused any more.
create table gas_used (
  organization_id text not null references organizations,
  chain_id bigint not null,
  hour timestamptz not null,
  unsigned boolean not null,
  gas numeric(78) not null,
  primary key (organization_id, chain_id, hour, unsigned)
);
create index gas_used_by_age on gas_used (hour);

-- The gas price that counts for a chain's smallest order in one hour, the same for every process: the median of the hour before.
create table gas_prices (
  chain_id bigint not null,
  hour timestamptz not null,
  price numeric(78) not null,
  primary key (chain_id, hour)
);
