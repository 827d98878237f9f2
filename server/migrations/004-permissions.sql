-- Owner: access. Who may do what to an asset, by immutable ids: a team made anew under an old name inherits nothing.

create table permission (
  id uuid primary key default gen_random_uuid(),
  asset_id uuid not null,
  principal_type text not null check (principal_type in ('org', 'team', 'user', 'group', 'principal')),
  principal_id uuid, -- null for the organisation as a whole
  actions text[] not null check (cardinality(actions) > 0 and actions <@ array['read', 'use', 'write', 'deploy', 'publish', 'admin']),
  created_at timestamptz not null default clock_now(),
  check ((principal_type = 'org') = (principal_id is null))
);
create unique index on permission (asset_id, principal_type, principal_id) nulls not distinct;

call audit.govern('permission');
