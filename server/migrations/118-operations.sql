-- Owner: deploy. Start, stop and restart are runs as a deploy is, and their rows stand beside those of deploys.
alter table deployment add column operation text not null default 'deploy';

-- A deploy that began before the last stop of its agent does not start it again.
alter table route add column stopped_at timestamptz;
