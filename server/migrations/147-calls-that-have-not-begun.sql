-- Owner: invoke. A call that no container has begun can be sent again after a crash.
alter table invocation
  add column input bytea,                          -- sealed (envelope): what to send; null once the call has begun or ended
  add column start_id text,                        -- the only start of the instance's container that may begin the call; null: not known
  add column attempt integer not null default 0,   -- counts the sendings
  add column begun_at timestamptz,                 -- when its container was first known to work for it
  add constraint invocation_input check (input is null or (state = 'running' and begun_at is null));
