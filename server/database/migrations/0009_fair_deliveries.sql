-- `silent` counts consecutive attempts without a response. A silent endpoint may be probed at probe_at.
alter table webhooks
  add column silent integer not null default 0,
  add column probe_at timestamptz,
  add column answered_at timestamptz;
-- Existing endpoints count as responsive until an attempt fails.
update webhooks set answered_at = now();

-- Due deliveries are selected by endpoint, so that one endpoint's backlog does not delay another endpoint.
create index deliveries_by_webhook on deliveries (webhook_id, next_at, seq) where done_at is null and given_up_at is null;
drop index deliveries_due;
