-- Owner: access. An agent calls its subagents, and an orchestration its members, with entries about themselves.
alter table permission drop constraint permission_principal_type_check;
alter table permission add constraint permission_principal_type_check
  check (principal_type in ('org', 'team', 'user', 'group', 'principal', 'agent', 'orchestration'));
