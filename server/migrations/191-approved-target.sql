-- Owner: approvals. An approval covers the target as it was: secrets are sent to its address. Null for `local`, and for a target that did not exist.

alter table approval add column target_digest text;
