-- Owner: notifications. What is forgotten after a time is found by that time.

create index on notification (created_at);
create index on mail (ended_at) where state <> 'queued';
