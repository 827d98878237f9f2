-- Owner: registry. Content names its base image by a pin, the same on every engine.

-- 1: `base_image` is the id in the engine of the push. 2: it is the pin. The digest covers this number.
alter table content add column schema smallint not null default 1 check (schema in (1, 2));

-- The pins of the base images of contents with schema 1, looked up once. Their digests and approvals stay as they are.
create table base_pin (
  base_image text primary key,
  pin text not null,
  created_at timestamptz not null default clock_now()
);
create function refuse_base_pin_change() returns trigger language plpgsql as $$
begin
  raise exception 'the pin of a base image never changes';
end $$;
create trigger immutable before update or delete on base_pin for each row execute function refuse_base_pin_change();
alter table base_pin enable always trigger immutable;
