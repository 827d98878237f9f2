-- Owner: signing-keys. The keys that sign what others check. The next one is published before it signs, so nobody meets an unknown key.
create table signing_key (
  id uuid primary key default gen_random_uuid(),
  kid text not null unique,
  state text not null check (state in ('next', 'current', 'retired')),
  public_jwk jsonb not null,
  sealed bytea not null,                  -- the private JWK
  made_at timestamptz not null default clock_now(),
  signs_since timestamptz,
  retired_at timestamptz
);
create unique index signing_key_one on signing_key (state) where state in ('next', 'current');
call audit.govern('signing_key');
