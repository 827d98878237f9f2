-- Owner: keys. The deploy that issued an agent's key. Until the registration, the key works only during the start of this run.
alter table gateway_key add column start_run_id uuid references run;
