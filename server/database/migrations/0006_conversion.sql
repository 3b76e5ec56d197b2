-- What an exchange took in one currency and gave in another: each currency's rows still add up to zero.
alter table ledger drop constraint ledger_account_check;
alter table ledger add constraint ledger_account_check
  check (account in ('payers', 'deposit', 'conversion', 'recipient', 'fees', 'gas', 'refunds'));
