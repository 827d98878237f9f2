-- Owner: principals. With every request the groups of its caller are read: from the index alone.

drop index group_member_user_id_idx;
create index on group_member (user_id, group_id);
