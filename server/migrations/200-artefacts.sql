-- Owner: deploy. Files of a revision for people and their tools: its compose file and its bill of materials. None has a secret. They are
-- written with the revision and never change.
create table artefact (
  revision_id uuid not null references revision on delete cascade,
  name text not null,
  sha256 text not null,
  content text not null,
  primary key (revision_id, name)
);
