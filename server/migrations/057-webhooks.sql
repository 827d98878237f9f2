-- Owner: webhooks. Who outside is told of what stands in the governance chain. A webhook is governed; how far it has come is not.

create table webhook (
  id uuid primary key default gen_random_uuid(),
  name text not null unique,
  url text not null,
  events text[] not null,
  -- Encrypted under a key derived from SECRET_KEY. The previous one signs too until its time is over.
  secret bytea not null,
  previous_secret bytea,
  previous_until timestamptz,
  created_by text not null,      -- by e-mail; the webhook outlives its maker
  created_at timestamptz not null default clock_now(),
  check ((previous_secret is null) = (previous_until is null))
);
call audit.govern('webhook');

-- The entry that was looked at last, and who is sending at the moment: one delivery of a webhook at a time keeps them in order.
create table webhook_position (
  webhook_id uuid primary key references webhook on delete cascade,
  seq bigint not null,
  claim uuid,
  lease_until timestamptz
);

create table webhook_delivery (
  id uuid primary key default gen_random_uuid(),
  webhook_id uuid not null references webhook on delete cascade,
  seq bigint not null,           -- of the entry; its text is read from the log with every attempt
  event text not null,
  state text not null default 'queued' check (state in ('queued', 'delivered', 'dead')),
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default clock_now(),
  give_up_at timestamptz not null,
  status integer,
  problem text,
  created_at timestamptz not null default clock_now(),
  ended_at timestamptz,
  unique (webhook_id, seq),
  check ((state = 'queued') = (ended_at is null))
);
create index webhook_delivery_queued on webhook_delivery (webhook_id, seq) where state = 'queued';
