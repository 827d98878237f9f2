-- Owner: principals. Users who are gone are still named by what they did.

alter table app_user add column removed_at timestamptz;
alter table app_user drop constraint app_user_email_key;
-- Who comes later under the same address is somebody else, and inherits nothing.
create unique index app_user_email on app_user (email) where removed_at is null;
alter table app_user add constraint removed_is_inactive check (removed_at is null or not active);
