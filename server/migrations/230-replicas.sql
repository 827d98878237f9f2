-- Owner: deploy. Instances on a target that makes replicas by itself. All replicas of a revision start with the same token, and each process
-- that joins with it becomes one of the instances that are asked of the target.
alter table placement
  add column join_hash text unique,                       -- of the token; null without one, as where each instance has a token of its own
  add column most_replicas integer not null default 0;    -- how many a platform with a scaler may make; 0: as many as are asked for
alter table instance
  add column is_asked boolean not null default false,     -- the target is asked for a replica; stored before the target is told
  add column process_hash text,                           -- of the process that has joined as this instance
  add column process_since timestamptz,
  add column is_let_go boolean not null default false,    -- the process was told to end, and joins as nothing any more
  add column replica text;                                -- the name that its platform gave it
