-- Owner: registry. Labels of prompts: each move of one, and so the version that it means. The newest move counts.
create table prompt_label_move (
  id uuid primary key default gen_random_uuid(),
  asset_id uuid not null references asset on delete cascade,
  label text not null,
  number int not null,                    -- among the moves of this label, from 1
  version_id uuid not null references version on delete cascade,
  approval_id uuid,                       -- null: by an admin without one
  moved_by text not null,                 -- as others see them
  moved_at timestamptz not null default clock_now(),
  unique (asset_id, label, number)
);
call audit.govern('prompt_label_move');
