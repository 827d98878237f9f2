-- Owner: memory. Items are found by meaning. An item without a maker is not embedded yet, or its model could not be reached; the next search does it.
alter table store_item
  add column vectors bytea,               -- sealed: one for each searched text; null: no text, or not embedded
  add column made_by text;                -- the model of the registry, that of the vendor and the dimensions; sealed with the vectors too
