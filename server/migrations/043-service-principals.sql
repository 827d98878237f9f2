-- Owner: service-principals. Identities for machines, and the keys that prove them.

create table service_principal (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  team_id uuid not null, -- no foreign key: one that is gone keeps the team that it was in, which may be gone as well
  role text not null check (role in ('viewer', 'contributor', 'deployer', 'admin')),
  allowed_assets text[] not null,
  description text not null default '',
  created_by uuid not null references app_user,
  created_at timestamptz not null default clock_now(),
  deleted_at timestamptz
);
create unique index service_principal_name on service_principal (name) where deleted_at is null;

-- Only a keyed digest of a key is kept: what a key is worth cannot be read out of the database.
create table service_key (
  id uuid primary key default gen_random_uuid(),
  principal_id uuid not null references service_principal,
  digest bytea not null unique,
  prefix text not null,                  -- the first 12 characters, to tell keys apart
  issued_to uuid not null references app_user, -- who was shown it
  created_at timestamptz not null default clock_now(),
  ends_at timestamptz                    -- it was rotated or revoked; in the future while old and new overlap
);
create index on service_key (principal_id);

-- Not governed: a note of use, as a session is.
create table service_key_use (
  key_id uuid primary key references service_key,
  last_used_at timestamptz not null,
  ip text
);

call audit.govern('service_principal');
call audit.govern('service_key');

-- Who did something, by id: users and service principals, those who are gone as well.
create view identity as
  select id, 'user' as kind, email as label from app_user
  union all
  select id, 'principal' as kind, 'principal:' || name as label from service_principal;
