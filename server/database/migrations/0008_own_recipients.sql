-- Fees that were sent to an organisation's own recipient count as paid out, even after it has changed its recipient.
create table organization_recipients (
  organization_id text not null references organizations,
  address text not null,
  primary key (organization_id, address)
);
insert into organization_recipients select id, settlement_recipient from organizations;
