-- Owner: principals. Named sets of a team's users.

create table user_group (
  id uuid primary key default gen_random_uuid(),
  name text not null unique,
  team_id uuid not null references team,
  description text not null default '',
  created_at timestamptz not null default clock_now()
);

-- Its members are members of its team: who leaves the team leaves its groups, because the row hangs on the membership.
create table group_member (
  id uuid primary key default gen_random_uuid(),
  group_id uuid not null references user_group,
  team_id uuid not null,
  user_id uuid not null,
  created_at timestamptz not null default clock_now(),
  unique (group_id, user_id),
  foreign key (team_id, user_id) references membership (team_id, user_id)
);
create index on group_member (user_id);
create index on group_member (team_id, user_id);

call audit.govern('user_group');
call audit.govern('group_member');
