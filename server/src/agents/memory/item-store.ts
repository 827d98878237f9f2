// Items of agents' stores. Namespace, key and value are sealed; the address finds one item.
import type { Reader, Tx } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';

export interface Owner {
  /** For a team, the memory config that its agents name. */
  agent_id: string;
  /** Whose they are: `user <id>`, `agent <id>` or `team <id>`. */
  owner: string;
  owner_id: string;
}

export interface ItemRow {
  address: Buffer;
  body: Buffer;
  created_at: string;
  updated_at: string;
}

const live = sql`(expires_at is null or expires_at > clock_now())`;
const columns = sql`address, body, created_at, updated_at`;

export const findItem = async (db: Reader, { agent_id, owner }: Owner, address: Buffer) =>
  await db.one<ItemRow>(sql`
    select ${columns} from store_item where agent_id = ${agent_id} and owner = ${owner} and address = ${address} and ${live}`);

export interface EmbeddedRow extends ItemRow {
  /** Null when it has none of this maker. */
  vectors: Buffer | null;
}

/** Of one owner, the last changed first, with the vectors of this maker. */
export const listItems = async (db: Reader, { agent_id, owner }: Owner, made_by: string | undefined) =>
  await db.all<EmbeddedRow>(sql`
    select ${columns}, case when made_by = ${made_by ?? null} then vectors end as vectors
    from store_item where agent_id = ${agent_id} and owner = ${owner} and ${live} order by updated_at desc, address`);

/** Those without vectors of this maker, the last changed first. */
export const listUnembedded = async (db: Reader, { agent_id, owner }: Owner, made_by: string, limit: number) =>
  await db.all<ItemRow>(sql`
    select ${columns} from store_item where agent_id = ${agent_id} and owner = ${owner} and ${live} and made_by is distinct from ${made_by}
    order by updated_at desc, address limit ${limit}`);

/** Null vectors: it has no texts, or guardrails have blocked them. */
export interface ItemVectors {
  vectors: Buffer | null;
  made_by: string;
}

/** Only while the item has this body: a newer one has other texts. */
export async function putVectors(
  tx: Tx,
  { agent_id, owner }: Owner,
  { address, body, vectors, made_by }: Pick<ItemRow, 'address' | 'body'> & ItemVectors,
): Promise<void> {
  await tx.run(sql`
    update store_item set vectors = ${vectors}, made_by = ${made_by}, bytes = ${body.length + (vectors?.length ?? 0)}
    where agent_id = ${agent_id} and owner = ${owner} and address = ${address} and body = ${body}`);
}

export const countItems = async (db: Reader, { agent_id, owner }: Owner) =>
  (
    await db.one<{ count: number }>(
      sql`select count(*) from store_item where agent_id = ${agent_id} and owner = ${owner}`,
    )
  )?.count ?? 0;

export async function putItem(
  tx: Tx,
  { agent_id, owner, owner_id }: Owner,
  item: {
    address: Buffer;
    body: Buffer;
    ttl_minutes: number | null;
    writer_id: string | null;
    embedded: ItemVectors | undefined;
  },
): Promise<void> {
  const { address, body, ttl_minutes, writer_id, embedded } = item;
  const writers = writer_id === null ? [] : [writer_id];
  const { vectors, made_by } = embedded ?? { vectors: null, made_by: null };
  const bytes = body.length + (vectors?.length ?? 0);
  await tx.run(sql`
    insert into store_item (agent_id, owner, owner_id, address, body, vectors, made_by, bytes, ttl_minutes, expires_at, writer_ids)
    values (${agent_id}, ${owner}, ${owner_id}, ${address}, ${body}, ${vectors}, ${made_by}, ${bytes}, ${ttl_minutes},
      clock_now() + ${ttl_minutes}::float8 * interval '1 minute', ${writers}::uuid[])
    on conflict (agent_id, owner, address) do update set body = excluded.body, vectors = excluded.vectors, made_by = excluded.made_by,
      bytes = excluded.bytes, ttl_minutes = excluded.ttl_minutes,
      expires_at = excluded.expires_at, updated_at = clock_now(), used_at = clock_now(),
      writer_ids = case when store_item.writer_ids @> excluded.writer_ids then store_item.writer_ids
        else store_item.writer_ids || excluded.writer_ids end,
      created_at = case when store_item.expires_at <= clock_now() then clock_now() else store_item.created_at end`);
}

export async function deleteItem(tx: Tx, { agent_id, owner }: Owner, address: Buffer): Promise<void> {
  await tx.run(sql`delete from store_item where agent_id = ${agent_id} and owner = ${owner} and address = ${address}`);
}

/** A read item lasts anew. Noted once a minute, unless it has a time of its own. */
export async function touchItems(tx: Tx, { agent_id, owner }: Owner, addresses: readonly Buffer[]): Promise<void> {
  if (addresses.length === 0) return;
  await tx.run(sql`
    update store_item set used_at = clock_now(), expires_at = clock_now() + ttl_minutes * interval '1 minute'
    where agent_id = ${agent_id} and owner = ${owner} and address = any(${addresses}::bytea[])
      and (ttl_minutes is not null or used_at < clock_now() - interval '1 minute')`);
}

export const deleteItemsOf = async (tx: Tx, owner_id: string): Promise<number> =>
  await tx.run(sql`delete from store_item where owner_id = ${owner_id}`);

/** Shared ones that this user wrote, alone or with others. */
export const deleteItemsWrittenBy = async (tx: Tx, writer_id: string): Promise<number> =>
  await tx.run(sql`delete from store_item where writer_ids @> array[${writer_id}]::uuid[]`);

/**
 * Those past their own time, and those that nobody has used for as long as the memory config says; without one, for `keep_days`.
 * Null: without a limit. Agents of a team can be deployed with different versions of one config: then the longest time counts.
 */
export async function forgetOld(tx: Tx, keep_days: number | null): Promise<void> {
  await tx.run(sql`
    delete from store_item i where expires_at <= clock_now() or used_at < clock_now() - coalesce(
      make_interval(secs => coalesce(
        (select v.items_kept_seconds from route r join revision v on v.id = r.revision_id where r.is_default and r.agent_id = i.agent_id),
        (select max(v.items_kept_seconds) from revision v join route r on r.revision_id = v.id
         where r.is_default and v.memory_scope = 'team' and v.memory_config_id = i.agent_id))),
      make_interval(days => ${keep_days}::int))`);
}
