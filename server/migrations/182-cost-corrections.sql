-- Owner: ledger. A correction is a row beside the one that it corrects, because no row of the ledger changes. It has the amount that comes off.
alter table ledger add column corrects uuid; -- the hold_id of the corrected row
create unique index on ledger (corrects) where corrects is not null;
