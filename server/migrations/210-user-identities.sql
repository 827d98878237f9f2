-- Owner: principals. Who signs in, as the provider of the sign-in names them. A user can have an identity at several providers. The provider
-- `local` is the service itself: its subject is the id of the user. A user without a password signs in elsewhere.
alter table app_user alter column password_hash drop not null;

create table user_identity (
  id uuid primary key default gen_random_uuid(),
  provider text not null,
  subject text not null check (subject <> ''),
  user_id uuid not null references app_user on delete cascade,
  created_at timestamptz not null default clock_now(),
  unique (provider, subject)
);
create index on user_identity (user_id);

insert into user_identity (provider, subject, user_id) select 'local', id, id from app_user where removed_at is null;
call audit.govern('user_identity');
