-- Owner: targets. A target is an asset whose config says where agents run. Its credential is apart from the config, which every reader sees.

alter table asset drop constraint asset_kind_check;
alter table asset add constraint asset_kind_check
  check (kind in ('agent', 'prompt', 'tool', 'memory-config', 'rag-index', 'knowledge-base', 'model', 'mcp-server', 'orchestration', 'target'));

create table target_credential (
  asset_id uuid primary key references asset on delete cascade,
  id uuid not null default gen_random_uuid(), -- another one with each change
  sealed bytea not null,                      -- bound to the asset (envelope/envelope.ts)
  set_by text not null,
  set_at timestamptz not null default clock_now()
);
call audit.govern('target_credential');

-- What an approval covers of a target: which asset it is, its present config, and its credential. Null for a name without a row, such as `local`.
create function target_digest(target text) returns text stable language sql as $$
  select 'sha256:' || encode(sha256(convert_to(concat_ws(' ', a.id, (
      select v.digest from version v where v.asset_id = a.id order by string_to_array(v.version, '.')::int[] desc limit 1
    ), c.id), 'UTF8')), 'hex')
  from asset a left join target_credential c on c.asset_id = a.id where a.kind = 'target' and a.name = target
$$;
