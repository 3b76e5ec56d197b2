-- Unconfirmed money no longer fixes an order's source. A signature in flight claims the order instead.

update facts set fact = (fact - 'transfer') || jsonb_build_object('type', 'transfers_seen', 'transfers', jsonb_build_array(fact -> 'transfer'))
where fact ->> 'type' = 'transfer_seen';

update facts f set fact = jsonb_build_object('type', 'transfers_progressed', 'chainId', t.chain_id,
  'head', (select (seen.fact -> 'transfers' -> 0 ->> 'block')::bigint from facts seen
    where seen.order_id = f.order_id and seen.number < f.number and seen.fact ->> 'type' = 'transfers_seen'
      and seen.fact -> 'transfers' -> 0 ->> 'key' = f.fact ->> 'key' order by seen.number desc limit 1) + (f.fact ->> 'confirmations')::bigint - 1)
from transfers t where t.key = f.fact ->> 'key' and f.fact ->> 'type' = 'transfer_progressed';

update facts set fact = (fact - 'key') || jsonb_build_object('type', 'transfers_' || substr(fact ->> 'type', 10), 'keys', jsonb_build_array(fact ->> 'key'))
where fact ->> 'type' in ('transfer_confirmed', 'transfer_applied', 'transfer_held', 'transfer_refunded', 'transfer_dropped');


-- A converted price expires, as before. The prices of older orders in their own currency never expired and still do not.
update orders set state = jsonb_set(state, '{quotes}', (
  select jsonb_agg(quote || jsonb_build_object('moves', quote -> 'source' -> 'chainId' <> quote -> 'asset' -> 'chainId'
    or coalesce(quote -> 'source' ->> 'address', '') <> coalesce(quote -> 'asset' ->> 'address', '')) order by place)
  from jsonb_array_elements(state -> 'quotes') with ordinality as one (quote, place)));

update facts set fact = jsonb_set(fact, '{quote,moves}', to_jsonb(
  fact #> '{quote,source,chainId}' <> fact #> '{quote,asset,chainId}'
    or coalesce(fact #>> '{quote,source,address}', '') <> coalesce(fact #>> '{quote,asset,address}', '')))
where fact ->> 'type' in ('quoted', 'extended', 'repriced') and fact ? 'quote';

update facts set fact = jsonb_set(fact, '{order,quote,moves}', 'false') where fact ->> 'type' = 'created';

-- Unconfirmed money or a signature had fixed the source of orders without a settlement. A fact and the state both release it.
with released as (
  update orders set version = version + 1, updated_at = updated_at + interval '1 millisecond',
    state = (state - 'fixedQuote') || jsonb_build_object('version', version + 1, 'updatedAt', (state ->> 'updatedAt')::bigint + 1)
  where state ? 'fixedQuote' and jsonb_array_length(state -> 'settlements') = 0
    and status in ('PENDING', 'AWAITING_PAYMENT', 'AWAITING_CONFIRMATION', 'OPTIMISTIC_CONFIRMED', 'PARTIAL_PAYMENT', 'EXPIRED')
  returning id, version, updated_at)
insert into facts (order_id, number, at, fact) select id, version, updated_at, '{"type": "source_released"}' from released;

with claimed as (
  update orders o set version = o.version + 1, updated_at = o.updated_at + interval '1 millisecond',
    state = o.state || jsonb_build_object('version', o.version + 1, 'updatedAt', (o.state ->> 'updatedAt')::bigint + 1, 'claimedQuote', o.state -> 'activeQuote')
  from x402_authorizations a
  where a.order_id = o.id and a.state = 'pending' and not o.state ? 'fixedQuote'
    and o.status in ('PENDING', 'AWAITING_PAYMENT', 'AWAITING_CONFIRMATION', 'OPTIMISTIC_CONFIRMED', 'EXPIRED')
  returning o.id, o.version, o.updated_at, o.state -> 'activeQuote' as quote)
insert into facts (order_id, number, at, fact) select id, version, updated_at, jsonb_build_object('type', 'claimed', 'quoteId', quote) from claimed;

-- An order that could not record its transfers is set aside here, so that the scan of its chain can go on.
create table set_aside (
  order_id text not null references orders,
  chain_id bigint not null,
  arrivals jsonb not null,
  attempts integer not null default 1,
  next_at timestamptz not null,
  reason text not null,
  since timestamptz not null default now(),
  primary key (order_id, chain_id)
);
create index set_aside_due on set_aside (chain_id, next_at);

-- Every address ever issued is swept, a slice at a time. This is the last order of the previous slice.
alter table chain_cursors add column swept_to text not null default '';
