-- Owner: invoke. Calls that came with an Idempotency-Key. The id of the run follows from caller, asset and key. Not governed: a row decides
-- only that a key with other content is refused. The digest is keyed, so a reader of the table guesses no content.
create table call_key (
  run_id uuid primary key,
  digest text not null,
  created_at timestamptz not null default clock_now()
);
create index on call_key (created_at);
