-- Owner: deploy. What containers of agents reach besides the model gateway (a setting of principals), and what the proxy refused them.

alter table org add column agent_egress text not null default 'open'
  check (agent_egress in ('open', 'listed', 'gateway_only'));

-- Not governed: it is a count, for the owner of an agent. A revision has no row here before its first refusal, also not while it starts.
create table egress_refusal (
  revision_id uuid not null,
  destination text not null,
  reason text not null,
  count bigint not null,
  at timestamptz not null,
  primary key (revision_id, destination)
);
