-- Owner: runs. The runs of an orchestration are listed, and their contents are forgotten after a week.
create index on run ((input ->> 'orchestration_id'), created_at desc, id desc) where kind = 'orchestration';
create index on run (ended_at) where kind = 'orchestration' and input ? 'input';
