-- Owner: notifications and webhooks. What is forgotten after a time is found by that time.

create index on notification (created_at);
create index on mail (ended_at) where state <> 'queued';
create index on webhook_delivery (ended_at) where state <> 'queued';
