-- The creator of an order decides which subscribers get its events. In older orders a SALE was always signed, and the service itself
-- made a REFUND and an invoice's order. A DEPOSIT needed only the publishable key, so it counts as unsigned (as in
-- server/orders/model/created-by.ts). The column is computed, so that the previous release can still write orders.
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

-- The sends of orders made with only the publishable key have priority 1, and all others have 0.
alter table sends add column priority smallint not null default 0;
drop index sends_open;
create index sends_open on sends (chain_id, state, priority, position) where state in ('queued', 'signed', 'broadcast', 'mined');

-- The hourly sums limit the gas that operators spend for an organisation. An unsigned order reserves the gas of its settlement at
-- creation, because money that has arrived is always settled.
create table gas_used (
  organization_id text not null references organizations,
  chain_id bigint not null,
  hour timestamptz not null,
  unsigned boolean not null,
  gas numeric(78) not null,
  primary key (organization_id, chain_id, hour, unsigned)
);
create index gas_used_by_age on gas_used (hour);

-- All processes use this gas price for the minimum amount of an order on a chain in one hour.
create table gas_prices (
  chain_id bigint not null,
  hour timestamptz not null,
  price numeric(78) not null,
  primary key (chain_id, hour)
);
