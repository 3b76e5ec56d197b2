-- `tried` holds the newest attempts of a delivery, oldest first. It is a part of the row, so it is written with the outcome and pruned with
-- the delivery. A delivery that its merchant has sent again neither waits for older events of its order nor delays newer ones.
alter table deliveries
  add column tried jsonb not null default '[]',
  add column resent_at timestamptz;
create index deliveries_given_up on deliveries (webhook_id, seq) where given_up_at is not null;

-- Nothing that an endpoint was sent since `failing_since` was accepted. After three days the endpoint is marked as failing, and its merchant
-- gets one mail.
alter table webhooks
  add column failing_since timestamptz,
  add column marked_failing_at timestamptz;

-- Merchants read their own events in the order of the log (see server/events/log.ts). The index also holds what they filter by.
create index events_of_organization on events (organization_id, xid, seq, event, unsigned) where not socket_only;

-- `seq` counts the events of all organisations, so it is encrypted before a merchant sees it. A random UUID has 122 random bits.
create table event_id_keys (key bytea not null default uuid_send(gen_random_uuid()));
insert into event_id_keys default values;
