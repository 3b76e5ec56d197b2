-- The slot of the last transaction of an account that was reported, and that of the last one of ours that has changed it.
alter table solana_accounts add column last_slot bigint, add column paid_out_slot bigint;
