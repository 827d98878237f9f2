-- Owner: audit. How far each destination outside (a SIEM) has the log, and who sends to it. Not governed: it says nothing that the log does
-- not say, and whoever loses it sends entries again.

create table audit_push (
  destination text primary key,          -- the address, without what may be secret in it
  positions jsonb not null default '{}', -- chain → the last entry that arrived: seq and hash
  owner text,                            -- of the servers that share the database, the one that sends
  lease_until timestamptz,
  delivered_at timestamptz,
  failing_since timestamptz,
  last_error text,
  notice text                            -- that the log was rolled back under the destination, and when
);
