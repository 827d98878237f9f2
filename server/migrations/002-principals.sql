-- Owner: principals. The organisation, its teams, its users, and who is in which team with which role.

create table org (
  id uuid primary key default gen_random_uuid(),
  single boolean not null default true unique check (single), -- there is exactly one
  auth_provider text not null default 'local',
  require_approval_for_admins boolean not null default false,
  enforce_password_change boolean not null default false,
  created_at timestamptz not null default clock_now()
);

create table team (
  id uuid primary key default gen_random_uuid(),
  name text not null unique,
  created_at timestamptz not null default clock_now()
);

create table app_user (
  id uuid primary key default gen_random_uuid(),
  email text not null unique check (email = lower(email)),
  name text not null,
  role text not null check (role in ('viewer', 'contributor', 'deployer', 'admin')),
  active boolean not null default true,
  primary_team_id uuid references team on delete set null,
  password_hash text not null,
  must_change_password boolean not null default false,
  -- True while the password is the documented one of a fresh installation: then only a loopback peer may use it.
  seed_credential boolean not null default false,
  created_at timestamptz not null default clock_now()
);

create table membership (
  id uuid primary key default gen_random_uuid(),
  team_id uuid not null references team on delete cascade,
  user_id uuid not null references app_user on delete cascade,
  role text not null check (role in ('viewer', 'contributor', 'deployer', 'admin')),
  created_at timestamptz not null default clock_now(),
  unique (team_id, user_id)
);
create index on membership (user_id);

call audit.govern('org');
call audit.govern('team');
call audit.govern('app_user');
call audit.govern('membership');

-- The spec lets an administrator set must_change_password in plain SQL: then this writes the entry that change() would have written.
create function flag_in_plain_sql() returns trigger language plpgsql security definer set search_path = public, audit, pg_catalog as $$
begin
  if current_setting('gantry.governed', true) is distinct from 'on' then
    perform audit.append('governance', jsonb_build_object(
      'schema', 1, 'event', 'password.flagged', 'outcome', 'done',
      'actor', jsonb_build_object('kind', 'database', 'id', null, 'name', session_user),
      'team', null, 'asset', null, 'ip', null, 'request_id', null,
      'detail', jsonb_build_object('user', new.email, 'before', old.must_change_password, 'after', new.must_change_password))::text,
      array['app_user:' || new.id]);
  end if;
  return null;
end $$;
create trigger flagged after update of must_change_password on app_user for each row
  when (old.must_change_password is distinct from new.must_change_password
        and (to_jsonb(old) - 'must_change_password') = (to_jsonb(new) - 'must_change_password'))
  execute function flag_in_plain_sql();
alter table app_user enable always trigger flagged;
