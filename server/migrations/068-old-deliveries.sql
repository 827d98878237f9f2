-- Owner: webhooks. What is forgotten after a time is found by that time.

create index on webhook_delivery (ended_at) where state <> 'queued';
