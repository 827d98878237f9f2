-- Owner: approvals. Home shows the own requests of its reader, and the approvals of the last days.
create index on approval (submitted_by, submitted_at);
create index on approval (decided_at) where status = 'approved';
