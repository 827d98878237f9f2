-- Owner: deploy. What targets have outside of this machine. A row is stored before the vendor is asked to make it, so a crash leaves nothing unknown. Not
-- governed: it says what is outside.
create table target_resource (
  target text not null,
  kind text not null,            -- the vendor's own word, such as Deployment
  name text not null,
  agent text,                    -- null, like revision_id, for one of the target itself
  revision_id uuid,
  recorded_at timestamptz not null default clock_now(),
  removed_at timestamptz,        -- the vendor has said that it is gone
  primary key (target, kind, name),
  check ((agent is null) = (revision_id is null))
);
create index on target_resource (target) where removed_at is null;

-- Those that were made before there was a ledger.
insert into target_resource (target, kind, name, agent, revision_id, recorded_at)
  select p.target, 'Deployment', 'svc-' || p.agent || '-' || left(p.revision_id::text, 8), p.agent, p.revision_id, p.placed_at
  from placement p join asset a on a.kind = 'target' and a.name = p.target
  cross join lateral (select v.digest from version v where v.asset_id = a.id order by string_to_array(v.version, '.')::int[] desc limit 1) v
  join content c on c.digest = v.digest where c.config ->> 'kind' = 'kubernetes';
