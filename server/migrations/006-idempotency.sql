-- Owner: http. Requests that came with an Idempotency-Key, and what they were answered. Not governed: a row says what was sent, and
-- what that changed is governed where it changes it. No secret lies here: the digest is keyed, and the reply is kept without them.

create table idempotency_key (
  owner_id uuid not null references app_user on delete cascade,
  key text not null,
  endpoint text not null,        -- for people; the digest covers it
  digest text not null,
  state text not null default 'begun' check (state in ('begun', 'carried_out', 'answered')),
  -- Who carries it out: every write names its attempt, so that one that lost the row can change nothing any more.
  attempt uuid not null,
  lease_until timestamptz not null,
  status integer,
  reply text,                    -- the body as it was sent; null until it is answered
  created_at timestamptz not null default clock_now(),
  primary key (owner_id, key),
  check ((state = 'answered') = (reply is not null and status is not null))
);
create index on idempotency_key (created_at);
