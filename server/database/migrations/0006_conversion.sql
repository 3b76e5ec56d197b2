-- The `conversion` account books what an exchange took and gave, so that each currency's rows still add up to zero.
alter table ledger drop constraint ledger_account_check;
alter table ledger add constraint ledger_account_check
  check (account in ('payers', 'deposit', 'conversion', 'recipient', 'fees', 'gas', 'refunds'));
