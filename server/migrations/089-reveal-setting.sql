-- Owner: principals. Whether platform admins may see the value of a gateway key again.

alter table org add column reveal_gateway_keys boolean not null default true;
