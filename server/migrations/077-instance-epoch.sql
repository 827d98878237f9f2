-- Owner: deploy. A counter comes back when the database is restored, and a copy under its number would count again. A random value does not.
alter table instance_epoch alter column epoch type uuid using gen_random_uuid();
create or replace function raise_instance_epoch() returns trigger language plpgsql as $$
begin
  update instance_epoch set epoch = gen_random_uuid();
  return null;
end $$;
