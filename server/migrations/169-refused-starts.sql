-- Owner: gateway. The last refused call of a key that its deploy has not registered, for the message of a failed start. It is kept for a day.
create table refused_start (
  key_id uuid primary key references gateway_key,
  detail text not null,
  hint text,
  at timestamptz not null default clock_now()
);
