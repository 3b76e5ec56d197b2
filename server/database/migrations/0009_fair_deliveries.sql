-- Attempts in a row without any answer, when an endpoint that is silent may be probed next, and when it answered last.
alter table webhooks
  add column silent integer not null default 0,
  add column probe_at timestamptz,
  add column answered_at timestamptz;
-- What was registered before is believed to answer until it is seen not to.
update webhooks set answered_at = now();

-- What is due is looked for by endpoint: no backlog stands before another endpoint's first.
create index deliveries_by_webhook on deliveries (webhook_id, next_at, seq) where done_at is null and given_up_at is null;
drop index deliveries_due;
