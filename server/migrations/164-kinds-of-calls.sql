-- Owner: traces. A call that a guardrail stopped is no error of its agent. Whether a budget still pays is known from the calls to models.
alter table call_figure add column blocked integer not null default 0;
alter table call_figure add column paid integer not null default 0;    -- calls to models that were answered
alter table call_figure add column unpaid integer not null default 0;  -- calls to models that a budget refused
