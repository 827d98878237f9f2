-- Owner: audit. A notice about a destination is shown for a time, and is not its state for ever.

alter table audit_push add column notice_at timestamptz;
update audit_push set notice_at = clock_now() where notice is not null;
alter table audit_push add check ((notice is null) = (notice_at is null));
