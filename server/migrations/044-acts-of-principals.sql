-- Owner: login. Service principals act, too: sessions are opened for their keys, and what is done is done by an identity of either kind.

alter table session alter column user_id drop not null;
alter table session add column key_id uuid references service_key on delete cascade;
alter table session add constraint one_owner check (num_nonnulls(user_id, key_id) = 1);
create index on session (key_id) where key_id is not null;

alter table idempotency_key drop constraint idempotency_key_owner_id_fkey;
alter table version drop constraint version_pushed_by_fkey;
alter table approval drop constraint approval_submitted_by_fkey;
