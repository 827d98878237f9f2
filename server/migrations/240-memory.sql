-- Owner: memory. Threads of agents: what a conversation has come to, kept by the service. Contents are sealed (envelope), each bound to its row.
create table thread (
  id uuid primary key default gen_random_uuid(),
  agent_id uuid not null references asset on delete cascade,
  owner_id uuid not null,                 -- the end caller: a user, a service principal, or an agent that called for itself
  space text not null,                    -- the caller and the way of the call; the same name in two spaces is two threads
  name text not null,                     -- as the caller has named it
  via text,                               -- the assets through which the caller came, nearest first; null: the caller alone
  next_nodes text[] not null default '{}',  -- what runs next; empty: the last run has ended
  waits bytea,                            -- sealed: the interrupts that wait for a person; null: it waits for nobody
  waiting_since timestamptz,
  metadata bytea,                         -- sealed: what clients of langgraph's API keep with it
  bytes bigint not null default 0,        -- of its states, as stored
  created_at timestamptz not null default clock_now(),
  -- As exact as cursors of its lists.
  used_at timestamptz not null default date_trunc('milliseconds', clock_now()),
  unique (agent_id, space, name)
);
create index thread_of_owner on thread (owner_id, agent_id, used_at desc);
create index thread_by_use on thread (agent_id, used_at);
create index thread_waiting on thread (agent_id, waiting_since) where waiting_since is not null;

-- The calls on a thread, in their order. The first one whose call is running works on it; the others wait for it.
create table thread_turn (
  run_id uuid primary key references invocation on delete cascade,
  thread_id uuid not null references thread on delete cascade,
  n bigint generated always as identity,
  expects text                            -- the state that the call answers; another one by its turn: somebody else has answered
);
create index thread_turn_order on thread_turn (thread_id, n);

create table thread_state (
  thread_id uuid not null references thread on delete cascade,
  ns text not null,                       -- langgraph's checkpoint_ns; '' is the graph itself
  id text not null,
  parent_id text,
  run_id uuid,                            -- the run that made it
  versions jsonb not null,                -- which blob of each channel belongs to it
  next_nodes text[],                      -- null: not told
  source text not null,
  step integer not null,
  body bytea not null,                    -- sealed: the checkpoint without its channels, and its metadata
  created_at timestamptz not null default clock_now(),
  primary key (thread_id, ns, id)
);
-- A channel's value is stored once for all checkpoints that have it.
create table thread_blob (
  thread_id uuid not null references thread on delete cascade,
  ns text not null,
  channel text not null,
  version text not null,
  body bytea not null,                    -- sealed: the value in langgraph's form, and as JSON for readers
  primary key (thread_id, ns, channel, version)
);
create table thread_write (
  thread_id uuid not null references thread on delete cascade,
  ns text not null,
  checkpoint_id text not null,
  task_id text not null,
  idx integer not null,
  task_path text not null,
  channel text not null,
  body bytea not null,                    -- sealed
  primary key (thread_id, ns, checkpoint_id, task_id, idx)
);

-- What agents remember beyond a thread. The address is a keyed hash of namespace and key, which are sealed with the value.
create table store_item (
  agent_id uuid not null references asset on delete cascade,
  owner text not null,                    -- whose it is: user <id>, agent <id> or team <id>
  owner_id uuid not null,
  address bytea not null,
  body bytea not null,                    -- sealed: namespace, key, value, which fields are searched
  bytes integer not null,
  ttl_minutes double precision,
  expires_at timestamptz,
  created_at timestamptz not null default clock_now(),
  updated_at timestamptz not null default clock_now(),
  used_at timestamptz not null default clock_now(),
  primary key (agent_id, owner, address)
);
create index store_item_of_owner on store_item (owner_id);
create index store_item_expiry on store_item (expires_at) where expires_at is not null;
