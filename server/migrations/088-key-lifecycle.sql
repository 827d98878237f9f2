-- Owner: keys. The life of a gateway key: it waits for its owner or its deploy, works, and ends. Until its end the database has its value,
-- encrypted.

alter table gateway_key
  drop constraint gateway_key_team_id_fkey,                 -- an ended key keeps its team, which may be gone
  add column sealed bytea,                                  -- the value, encrypted for this row; null after the end of the key
  add column activated_at timestamptz default clock_now(),  -- null: no call is admitted
  add column issued boolean not null default false;         -- by the service, to a member, a service principal or an agent
alter table gateway_key alter column activated_at drop default;
-- An agent has a key for each of its revisions.
create unique index gateway_key_issued on gateway_key (scope_id, team_id) where issued and scope <> 'agent' and revoked_at is null;

-- Users and service principals who have seen the value. Not governed: the entries of the creation, the claim and the reveal say it too.
create table gateway_key_seen (
  key_id uuid not null references gateway_key,
  identity_id uuid not null,
  primary key (key_id, identity_id)
);
insert into gateway_key_seen select id, created_by from gateway_key;

-- What a team gives to the keys of its new members and service principals.
create table key_default (
  id uuid primary key,                                      -- of the team
  models text[] not null,
  limits jsonb not null,                                    -- as on the wire
  expires_in_seconds integer                                -- null: never
);
call audit.govern('key_default');
