-- Owner: principals. The pages of other sites that may call agents from a browser. Empty: none.
alter table org add column browser_origins text[] not null default '{}';
