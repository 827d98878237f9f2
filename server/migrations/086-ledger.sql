-- Owner: ledger. Money is integer nano-USD. An account belongs to a key, a user, an agent, a service principal, a team or the organisation,
-- and has the id of its owner. Accounts, holds and rates are no governed tables: a call writes them.

create table budget (
  id uuid primary key,                               -- of the account
  day_nano bigint check (day_nano >= 0),
  week_nano bigint check (week_nano >= 0),
  month_nano bigint check (month_nano >= 0),
  requests_per_minute integer check (requests_per_minute >= 0),
  tokens_per_minute integer check (tokens_per_minute >= 0)
);
call audit.govern('budget');

-- Counters of the day, ISO week and month that contain `day`, in UTC. The next call in a later window starts it at zero.
create table account (
  id uuid primary key,
  day date not null,
  day_spent bigint not null default 0 check (day_spent >= 0),
  week_spent bigint not null default 0 check (week_spent >= 0),
  month_spent bigint not null default 0 check (month_spent >= 0),
  day_held bigint not null default 0 check (day_held >= 0),
  week_held bigint not null default 0 check (week_held >= 0),
  month_held bigint not null default 0 check (month_held >= 0)
) with (fillfactor = 50); -- updated twice for every call: room for HOT updates on the page

-- One cell per second, the newest last. The sum of 61 cells covers any 60 seconds.
create table rate (
  id uuid primary key,                               -- of the account
  second bigint not null,                            -- of the newest cell
  requests integer[] not null check (cardinality(requests) = 61),
  tokens integer[] not null check (cardinality(tokens) = 61)
) with (fillfactor = 50);

-- The most that an attempt under way can cost. Settling deletes it, so nothing is settled twice.
create table hold (
  id uuid primary key,
  accounts uuid[] not null,
  day date not null,                                 -- of the windows that it counts in
  nano bigint not null check (nano >= 0),
  second bigint not null,                            -- of the rate cell that it counts in
  tokens integer not null check (tokens >= 0),
  deadline timestamptz not null,
  call jsonb not null                                -- what the ledger says about the call
) with (fillfactor = 70);
create index on hold (deadline);

-- What each attempt has cost. Names stand beside ids, because a row outlives its agent or user.
create table ledger (
  hold_id uuid primary key,
  at timestamptz not null,
  day date not null,                                 -- of the windows that it counts in
  key_id uuid not null,
  accounts uuid[] not null,
  key text not null,
  team text,
  "user" text,
  agent text,
  principal text,
  tags text[] not null,
  model text not null,
  provider text not null,
  upstream_model text not null,
  attempt integer not null,
  outcome text not null check (outcome in ('answered', 'refused', 'failed', 'lost')),
  estimated boolean not null,                        -- the upstream gave no usage: the whole hold is charged
  input_tokens bigint not null,                      -- cached or not
  output_tokens bigint not null,
  usage jsonb not null,                              -- the tokens by the classes that the price knows
  nano bigint not null,
  price text                                         -- the version of the price; null without one
);
create index on ledger (day);

create function refuse_ledger_change() returns trigger language plpgsql as $$
begin
  raise exception 'rows of the ledger stay as they are';
end $$;
create trigger append_only before update or delete on ledger for each row execute function refuse_ledger_change();
create trigger append_only_whole before truncate on ledger for each statement execute function refuse_ledger_change();
