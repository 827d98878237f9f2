-- Owner: notifications. A mail is about a notification, or carries a password token to whom it is for.

alter table mail drop constraint mail_pkey;
alter table mail alter column notification_id drop not null;
alter table mail add column id uuid not null default gen_random_uuid();
alter table mail add primary key (id);
alter table mail add constraint mail_notification unique (notification_id);
alter table mail add column password_token_id uuid unique references password_token on delete cascade;
alter table mail add constraint mail_is_about_one check (num_nonnulls(notification_id, password_token_id) = 1);
