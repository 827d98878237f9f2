-- Owner: envelope. The installation's random keys, each encrypted under a key derived from SECRET_KEY and its purpose.
-- So SECRET_KEY can change without a loss of passwords, secrets and keys.

create table stored_key (
  purpose text primary key,
  wrapped_key bytea not null
);
insert into stored_key (purpose, wrapped_key) select 'password', wrapped_key from login_secret;
drop table login_secret;
