-- The slot of the last transaction of an account that was reported.
alter table solana_accounts add column last_slot bigint;
