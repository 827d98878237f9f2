-- Owner: approvals. What a deploy would get on its target, as it was at the request (agents/approvals/covers.ts). Null for a target that does not say
-- it, such as `local`, and for a request from before this migration.

alter table approval add column covers jsonb;
