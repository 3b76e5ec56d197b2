insert into deposits (order_id, family, address) select id, 'evm', deposit_address from orders on conflict do nothing;
