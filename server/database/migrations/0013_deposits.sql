-- An order has one deposit address for each family of chains in which it can be paid. Watchers find the order of a transfer here. There is no
-- foreign key, since copying the older orders would then lock each of them until the end. Orders are never deleted.
create table deposits (
  order_id text not null,
  family text not null check (family in ('evm', 'bitcoin', 'solana', 'sui')),
  address text not null unique,
  primary key (order_id, family)
);

-- The previous release still writes orders during an upgrade, and knows only `deposit_address`. This release keeps that column filled for it,
-- and reads it nowhere. Only orders of the previous release lack `deposits`. 0016 copies those that exist already, after this has committed.
create function add_deposit_of_previous_release() returns trigger language plpgsql as $$
begin
  insert into deposits (order_id, family, address) values (new.id, 'evm', new.deposit_address) on conflict do nothing;
  return null;
end $$;
create trigger deposit_of_previous_release after insert on orders
  for each row when (not new.state ? 'deposits') execute function add_deposit_of_previous_release();
