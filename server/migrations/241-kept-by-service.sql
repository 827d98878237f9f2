-- Owner: deploy. What a revision said of its memory when it was deployed. It never changes: an older revision goes on as it was.
alter table revision
  add column kept_by_service boolean not null default false,   -- the service keeps its threads
  add column needs_run boolean not null default false;         -- its code can ask for what the service keeps in every call
