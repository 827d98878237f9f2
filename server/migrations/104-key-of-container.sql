-- Owner: deploy. The gateway key that the container got at its start. A transfer gives the revision another one.
alter table instance add column key_id uuid;
update instance set key_id = v.key_id from revision v where v.id = instance.revision_id;
