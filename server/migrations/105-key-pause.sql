-- Owner: ledger. A call of this key cost more than was held for it, so its bound is wrong. No call is admitted until an admin ends the pause.
alter table account add column paused_at timestamptz;
