-- Owner: queue. Work that is done later: mails, deliveries of webhooks, batches of the audit log to a destination. Not governed: a job says
-- again what an entry or a cursor says.

create table job (
  id uuid primary key default gen_random_uuid(),
  queue text not null,
  key text not null,                      -- what it is about
  state text not null default 'queued' check (state in ('queued', 'done', 'failed', 'dropped')),
  attempts integer not null default 0,    -- each claim is one; every write of an attempt names its number
  due_at timestamptz not null default clock_now(),
  give_up_at timestamptz,                 -- null: never
  lease_until timestamptz,
  problem text,                           -- of the last attempt
  created_at timestamptz not null default clock_now(),
  ended_at timestamptz,
  unique (queue, key),
  check ((state = 'queued') = (ended_at is null))
);
create index job_due on job (queue, due_at) where state = 'queued';
create index job_ended on job (queue, ended_at) where state <> 'queued';

insert into job (id, queue, key, state, attempts, due_at, give_up_at, problem, created_at, ended_at)
select id, 'mail', coalesce('notification ' || notification_id, 'password_token ' || password_token_id),
  case state when 'sent' then 'done' else state end, attempts, next_attempt_at, created_at + interval '24 hours', problem, created_at, ended_at
from mail;
drop table mail;

insert into job (id, queue, key, state, attempts, due_at, give_up_at, problem, created_at, ended_at)
select id, 'webhook', webhook_id || ' ' || seq, case state when 'delivered' then 'done' when 'dead' then 'failed' else state end,
  attempts, next_attempt_at, give_up_at, problem, created_at, ended_at
from webhook_delivery;
alter table webhook_delivery
  drop column state, drop column attempts, drop column next_attempt_at, drop column give_up_at, drop column problem,
  drop column created_at, drop column ended_at,
  alter column id drop default,
  add foreign key (id) references job on delete cascade;

-- That a destination fails, and since when, its job says.
alter table audit_push drop column owner, drop column lease_until, drop column failing_since, drop column last_error;
