-- Merchants look orders up by their own reference and by the payer's transaction. Deposit addresses are indexed already.
create index orders_by_reference on orders (organization_id, (state #>> '{terms,metadata,reference}'), created_at desc, id desc)
  where state #>> '{terms,metadata,reference}' is not null;
create index transfers_by_hash on transfers (tx_hash);
