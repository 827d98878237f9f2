-- Owner: deploy. The condition of each container at its last look: lists answer from it, and ask neither the engine nor a container.

alter table instance
  add column state text check (state in ('serving', 'starting', 'failed')),
  add column detail text,
  add column in_flight integer,
  add column seen_at timestamptz;  -- null: nobody has looked since it was stopped, or since this column exists
