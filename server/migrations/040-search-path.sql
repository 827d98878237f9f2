-- Owner: audit. What runs with its owner's rights finds names where only an owner can put them: the catalog first, and temporary
-- objects, which anybody may make, last; unless it is named, pg_temp comes before everything.

alter function audit.append(text, text, text[]) set search_path = pg_catalog, audit, public, pg_temp;
alter function audit.require_entry() set search_path = pg_catalog, audit, public, pg_temp;
alter function flag_in_plain_sql() set search_path = pg_catalog, audit, public, pg_temp;
