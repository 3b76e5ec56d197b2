-- A transfer that its chain has not included yet has no position. `block` and `block_hash` keep their names, because the previous release
-- reads them: they hold the height and the id of the position, of which only the chain's family knows more.
alter table transfers alter column block drop not null, alter column block_hash drop not null;

-- How far the sweep of all addresses has come. It is no business of the feed, which owns chain_cursors and chain_blocks. The columns
-- swept_at and swept_to of chain_cursors stay for the previous release.
create table sweeps (
  chain_id bigint primary key,
  height bigint not null,
  order_id text not null
);
insert into sweeps (chain_id, height, order_id) select chain_id, swept_at, swept_to from chain_cursors;
