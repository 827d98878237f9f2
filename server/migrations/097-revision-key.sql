-- Owner: deploy. The gateway key of a revision; null for one that was deployed before there were keys.
alter table revision add column key_id uuid references gateway_key;
