-- Owner: principals. The row of an organisation keeps its setting, so an existing installation stays as it is. A new one has no row yet when
-- its tables are made, so its row begins with `listed`.

alter table org alter column agent_egress set default 'listed';
