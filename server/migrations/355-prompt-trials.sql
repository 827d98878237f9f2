-- Owner: prompts. Examples that prompts are tried on, and the key that pays for the trials of a prompt.
create table prompt_example (
  id uuid primary key default gen_random_uuid(),
  prompt_id uuid not null references asset on delete cascade,
  name text not null,
  variables jsonb not null,                -- texts by the names of variables
  expected text,                           -- for the reader
  created_by text not null,                -- as others see them
  created_at timestamptz not null default clock_now(),
  unique (prompt_id, name)
);
call audit.govern('prompt_example');
create table prompt_payer (
  id uuid primary key default gen_random_uuid(),
  prompt_id uuid not null unique references asset on delete cascade,
  key_id uuid not null                     -- of the team that had the prompt when it was made
);
call audit.govern('prompt_payer');
