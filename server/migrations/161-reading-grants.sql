-- Owner: access. Who may read the costs or the log of a team or of the organisation without being its admin, by immutable ids.

create table reading_grant (
  id uuid primary key default gen_random_uuid(),
  reading_right text not null check (reading_right in ('read_costs', 'read_audit')),
  principal_type text not null check (principal_type in ('user', 'group', 'principal')),
  principal_id uuid not null,
  team_id uuid, -- null for the organisation as a whole
  granted_by uuid not null, -- a user
  created_at timestamptz not null default clock_now(),
  expires_at timestamptz, -- null for a grant without an end
  -- A service principal has no responsible person at hand, and the log says what people did.
  check (reading_right = 'read_costs' or principal_type <> 'principal')
);
create unique index on reading_grant (principal_id, reading_right, team_id) nulls not distinct;
create index on reading_grant (team_id);

call audit.govern('reading_grant');
