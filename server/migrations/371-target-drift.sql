-- Owner: deploy. What differs at a target from what the service has described there, from the first look that saw it until it is mended. Not governed: it
-- says what is outside, and both ends are in the audit log.
create table target_drift (
  target text not null,
  kind text not null,
  name text not null,
  what text not null check (what in ('missing', 'foreign', 'changed')),
  detail text not null,
  revision_id uuid,
  found_at timestamptz not null default clock_now(),
  primary key (target, kind, name, what)
);

-- When a process last began to look, so that several share the looks.
create table target_look (
  target text primary key,
  looked_at timestamptz not null,
  failure text                        -- why the last look saw nothing, such as a right that is missing
);

-- What was asked for, as far as it is compared. It has no value of a secret.
alter table target_resource add column described jsonb;
