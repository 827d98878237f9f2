-- Owner: deploy. What the last container of a revision has said of its memory.
alter table revision_input
  add column kept_by_service boolean not null default false,   -- threads and store
  add column needs_run boolean not null default false;         -- its code can ask for them in every call
