-- Owner: knowledge. Vectors are numbers, which pgvector can read where the database has it. Bytes of an older version are 32-bit numbers, the lowest byte first; each
-- becomes the same number.
create function knowledge_numbers(bytes bytea) returns real[] language sql immutable strict as $$
  select coalesce(array_agg((case when bits >> 31 = 1 then -1 else 1 end * case when (bits >> 23) & 255 = 0
      then (bits & 8388607) * power(2::float8, -149)
      else (1 + (bits & 8388607) / 8388608::float8) * power(2::float8, ((bits >> 23) & 255) - 127) end)::real order by n), '{}')
  from generate_series(0, length(bytes) / 4 - 1) n,
    lateral (select get_byte(bytes, 4 * n)::bigint + 256 * (get_byte(bytes, 4 * n + 1)
      + 256 * (get_byte(bytes, 4 * n + 2) + 256 * get_byte(bytes, 4 * n + 3)::bigint)) as bits) number
$$;
alter table knowledge_chunk alter column vector type real[] using knowledge_numbers(vector);
drop function knowledge_numbers(bytea);
