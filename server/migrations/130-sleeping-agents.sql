-- Owner: deploy. An agent with `deploy.scaling.min: 0` may have no instance. A call plans the next one, as a row without a place.
alter table instance add column problem text;  -- the code of the problem that ended its last start; null since a new one began
