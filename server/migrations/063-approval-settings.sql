-- Owner: principals. How many admins a request needs, and how long it waits for them.

alter table org
  add column approvals_required integer not null default 1 check (approvals_required between 1 and 10),
  add column approval_expires_after_days integer check (approval_expires_after_days between 1 and 3650); -- null: never
