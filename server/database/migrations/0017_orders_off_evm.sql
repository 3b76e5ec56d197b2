-- An order that cannot be paid on EVM has no such address.
alter table orders alter column deposit_address drop not null;
