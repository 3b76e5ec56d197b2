-- Every address that an organisation ever named to be paid at. Fees that went to one of them are paid out, also after it named another.
create table organization_recipients (
  organization_id text not null references organizations,
  address text not null,
  primary key (organization_id, address)
);
insert into organization_recipients select id, settlement_recipient from organizations;
