-- Owner: audit. How far each follower of a chain has dealt with it. A cursor moves in the transaction of what was done about the entries.

create table audit_cursor (
  name text primary key,
  chain text not null,
  seq bigint not null
);

insert into audit_cursor select 'notifications', 'governance', seq from notification_cursor;
drop table notification_cursor;
insert into audit_cursor select 'webhook ' || webhook_id, 'governance', seq from webhook_position;
drop table webhook_position;
