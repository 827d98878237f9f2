-- Owner: registry. A model that is added again under its name does not get its former price. The answer of the addition names that price.

alter table former_name add column own_price jsonb;
