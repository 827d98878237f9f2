-- Owner: memory. A turn goes with its call, in several ways. Its thread keeps what the call has read.
alter table thread
  add column private_data boolean not null default false,
  add column outside_text boolean not null default false;
alter table thread_turn add column root_run_id uuid;    -- the first run; null in rows from before
create function keep_exposure() returns trigger language plpgsql as $$
begin
  update thread t set private_data = t.private_data or e.private_data, outside_text = t.outside_text or e.outside_text
  from run_exposure e
  where e.root_run_id = old.root_run_id and t.id = old.thread_id
    and ((e.private_data and not t.private_data) or (e.outside_text and not t.outside_text));
  return null;
end $$;
create trigger keep_exposure after delete on thread_turn for each row execute function keep_exposure();
