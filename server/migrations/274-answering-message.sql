-- Owner: memory. The message that answered the question of a member, when it came by a protocol whose clients send a message again.
alter table thread_wait add column answered_by uuid;
