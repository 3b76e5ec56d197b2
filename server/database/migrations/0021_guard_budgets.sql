-- Limits by the hour are counted for each budget. What was signed before this release counts as surplus, for at most an hour.
alter table guard_moves add column budget text not null default 'surplus';
alter table guard_moves alter column budget drop default;
