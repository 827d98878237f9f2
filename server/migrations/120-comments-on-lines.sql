-- Owner: approvals. A comment on a line of the requested content, which never changes under its digest.

alter table approval_comment
  add column file text,
  add column line integer,
  add check ((file is null) = (line is null));
