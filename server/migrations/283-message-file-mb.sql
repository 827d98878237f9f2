-- Owner: principals. The size of the largest file in a message. In base64 the most of it fits the body of a call.
alter table org add column message_file_mb integer not null default 5 check (message_file_mb between 1 and 7);
