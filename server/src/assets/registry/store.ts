import type { AssetKind, Visibility } from '@gantry/contract/roles.ts';
import { entriesColumn, whereAboutAny } from '../../governance/access/acl.ts';
import { whereCovers } from '../../governance/access/decide.ts';
import type { SignedInCaller } from '../../governance/access/caller.ts';
import type { GovernedTx } from '../../governance/access/change.ts';
import type { Entry } from '../../governance/access/subject.ts';
import { countRows } from '../../ground/database/count-rows.ts';
import type { Reader } from '../../ground/database/database.ts';
import { allOf, nothing, sql, type Sql } from '../../ground/database/sql.ts';
import { principalIds } from '../../people/service-principals/load-caller.ts';
import { whereListed } from './policy.ts';

interface AssetRow {
  id: string;
  kind: AssetKind;
  name: string;
  team_id: string;
  team: string;
  owner_id: string;
  owner: string;
  description: string;
  tags: string[];
  framework: string | null;
  visibility: Visibility;
  published: boolean;
  serving_version_id: string | null;
  created_at: string;
  updated_at: string;
}

/** With the ACL rows about one caller. */
export interface AssetRowWithEntries extends AssetRow {
  entries_of: string | null;
  entries: Entry[];
}

/** With the two versions that lists show. */
export interface ListedRow extends AssetRowWithEntries {
  latest_version: string | null;
  serving_version: string | null;
  /** The strategy of an orchestration. */
  strategy: string | null;
  rank: number;
}

export interface VersionRow {
  id: string;
  asset_id: string;
  version: string;
  digest: string;
  state: 'draft' | 'final';
  message: string;
  pushed_by: string;
  pushed_by_email: string;
  authors: string[];
  pushed_at: string;
}

const assetColumns = sql`a.id, a.kind, a.name, a.team_id, t.name as team, a.owner_id, o.email as owner, a.description, a.tags, a.framework,
  a.visibility, a.published, a.serving_version_id, a.created_at, a.updated_at`;
const assetTables = sql`asset a join team t on t.id = a.team_id join app_user o on o.id = a.owner_id`;
const versionColumns = sql`v.id, v.asset_id, v.version, v.digest, v.state, v.message, v.pushed_by, u.label as pushed_by_email, v.authors, v.pushed_at`;
const versionTables = sql`version v join identity u on u.id = v.pushed_by`;
// `1.10.0` is above `1.9.0`: versions are compared by their numbers.
export const byNumber = sql`string_to_array(v.version, '.')::int[]`;

const entriesAboutCaller = (caller_id: Sql): Sql =>
  entriesColumn(
    sql`a.id`,
    // An orchestration calls agents with the entries of its team.
    whereAboutAny(sql`${principalIds(caller_id)} union all select team_id from asset where id = ${caller_id}`),
  );

/** An asset by its name or by its id, for one caller. */
export interface AssetFor {
  kind: AssetKind;
  name?: string;
  id?: string;
  /** Null for the service itself, which has no entries. */
  caller_id: string | null;
}

/** Gives `AssetRowWithEntries` and `n`, the number of the request from 1. Other statements join it with their own columns. */
export const selectAssets = (asked: readonly AssetFor[]): Sql => sql`
  select w.n::int as n, ${assetColumns}, w.caller_id as entries_of, ${entriesAboutCaller(sql`w.caller_id`)}
  from unnest(${asked.map(({ kind }) => kind)}::text[], ${asked.map(({ name }) => name)}::text[], ${asked.map(({ id }) => id)}::uuid[],
    ${asked.map(({ caller_id }) => caller_id)}::uuid[]) with ordinality as w (kind, name, id, caller_id, n), ${assetTables}
  where a.kind = w.kind and (a.name = w.name or a.id = w.id)`;
export const assets = async (db: Reader, asked: readonly AssetFor[]) =>
  await db.all<AssetRowWithEntries & { n: number }>(selectAssets(asked));
export const assetsOwnedBy = async (db: Reader, user_id: string) =>
  await db.all<{ kind: AssetKind; name: string; created_at: string }>(
    sql`select kind, name, created_at from asset where owner_id = ${user_id}`,
  );

export const assetsById = async (db: Reader, ids: readonly string[], caller_id: string | null) =>
  await db.all<AssetRowWithEntries>(sql`
    select ${assetColumns}, ${caller_id}::uuid as entries_of, ${entriesAboutCaller(sql`${caller_id}::uuid`)}
    from ${assetTables} where a.id = any(${ids})`);

interface Filter {
  kind?: AssetKind | undefined;
  team?: string | undefined;
  /** A tsquery; undefined lists everything by name. */
  query?: string | undefined;
  /** A condition of a higher feature, on `asset a`. */
  where?: Sql | undefined;
}

export interface Listing extends Filter {
  after?: { rank: number; kind: string; name: string } | undefined;
  limit: number;
}

/** Candidates of isListed(), with the entries that cover the caller. */
export async function listed(
  db: Reader,
  caller: SignedInCaller,
  { after, limit, ...filter }: Listing,
): Promise<ListedRow[]> {
  const { query } = filter;
  const rank = query === undefined ? sql`0::float8` : sql`ts_rank(a.search, to_tsquery('simple', ${query}))::float8`;
  const conditions = conditionsOf(caller, filter);
  const page =
    after === undefined
      ? nothing
      : sql`where (-rank, name, kind) > (${-after.rank}::float8, ${after.name}, ${after.kind})`;
  return await db.all<ListedRow>(sql`
    select * from (select ${listedColumns(caller)}, ${rank} as rank from ${assetTables} where ${allOf(conditions)}) found
    ${page} order by -rank, name, kind limit ${limit}`);
}

export const countListed = async (db: Reader, caller: SignedInCaller, filter: Filter): Promise<number> =>
  await countRows(db, sql`${assetTables} where ${allOf(conditionsOf(caller, filter))}`);

/** Candidates of isListed(). */
export const firstListed = async (
  db: Reader,
  caller: SignedInCaller,
  { limit, order, ...of }: Omit<Listing, 'after'> & { order: Sql },
) =>
  await db.all<ListedRow>(sql`
    select ${listedColumns(caller)}, 0::float8 as rank from ${assetTables} where ${allOf(conditionsOf(caller, of))}
    order by ${order} limit ${limit}`);

const listedColumns = (caller: SignedInCaller): Sql => sql`
  ${assetColumns}, ${caller.id}::uuid as entries_of, ${entriesColumn(sql`a.id`, whereCovers(caller))},
  (select v.version from version v where v.asset_id = a.id order by ${byNumber} desc limit 1) as latest_version,
  (select v.version from version v where v.id = a.serving_version_id) as serving_version,
  case when a.kind = 'orchestration' then (select c.config ->> 'strategy' from version v join content c on c.digest = v.digest
    where v.asset_id = a.id order by ${byNumber} desc limit 1) end as strategy`;

function conditionsOf(caller: SignedInCaller, { kind, team, query, where }: Filter): Sql[] {
  return [
    whereListed(caller),
    ...(kind === undefined ? [] : [sql`a.kind = ${kind}`]),
    ...(team === undefined ? [] : [sql`t.name = ${team}`]),
    ...(where === undefined ? [] : [where]),
    ...(query === undefined ? [] : [sql`a.search @@ to_tsquery('simple', ${query})`]),
  ];
}

export interface AssetFields {
  description: string;
  tags: string[];
  framework: string | null;
  /** All searchable words, separated by spaces (words.ts). */
  search: string;
}

export interface NewAsset extends AssetFields {
  kind: AssetKind;
  name: string;
  team_id: string;
  owner_id: string;
  visibility: Visibility;
}

export async function insertAsset(tx: GovernedTx, asset: NewAsset): Promise<string> {
  const [row] = await tx.write(
    'asset',
    sql`
    insert into asset (kind, name, team_id, owner_id, description, tags, framework, visibility, search)
    values (${asset.kind}, ${asset.name}, ${asset.team_id}, ${asset.owner_id}, ${asset.description}, ${asset.tags}, ${asset.framework}, ${asset.visibility},
      to_tsvector('simple', ${asset.search})) returning id`,
  );
  if (row === undefined) throw new Error('the statement returned no row');
  return row.id;
}

export async function updateAsset(
  tx: GovernedTx,
  id: string,
  fields: AssetFields & { visibility: Visibility },
): Promise<void> {
  await tx.write(
    'asset',
    sql`
    update asset set description = ${fields.description}, tags = ${fields.tags}, framework = ${fields.framework}, visibility = ${fields.visibility},
      search = to_tsvector('simple', ${fields.search}), updated_at = clock_now() where id = ${id} returning id`,
  );
}

export async function setServing(tx: GovernedTx, asset_id: string, version_id: string | null): Promise<void> {
  await tx.write(
    'asset',
    sql`update asset set serving_version_id = ${version_id}, updated_at = clock_now() where id = ${asset_id} returning id`,
  );
}

/** The assets of a user, locked until the transaction ends. */
export async function ownedAssets(
  db: Reader,
  owner_id: string,
  team_id: string | undefined,
): Promise<{ id: string; kind: AssetKind; name: string; team_id: string; team: string }[]> {
  const inTeam = team_id === undefined ? nothing : sql`and a.team_id = ${team_id}`;
  return await db.all(sql`
    select a.id, a.kind, a.name, a.team_id, t.name as team from asset a join team t on t.id = a.team_id
    where a.owner_id = ${owner_id} ${inTeam} order by a.kind, a.name for no key update of a`);
}

export const assetsOfTeam = async (db: Reader, team_id: string) =>
  await db.all<{ kind: AssetKind; name: string }>(
    sql`select kind, name from asset where team_id = ${team_id} order by kind, name`,
  );

/** The models of a team, and the models of others with one of these names. `served` is the name at the provider. */
export const modelsWithNames = async (db: Reader, { team_id, names }: { team_id: string; names: readonly string[] }) =>
  await db.all<{ id: string; name: string; team_id: string; aliases: string[]; served: string }>(sql`
    select distinct on (a.id) a.id, a.name, a.team_id, coalesce(c.config -> 'aliases', '[]') as aliases, c.config ->> 'model' as served
    from asset a join version v on v.asset_id = a.id join content c on c.digest = v.digest
    where a.kind = 'model' and (a.team_id = ${team_id} or a.name = any(${names})) order by a.id, ${byNumber} desc`);

export async function setOwner(tx: GovernedTx, asset_id: string, owner_id: string): Promise<void> {
  await tx.write(
    'asset',
    sql`update asset set owner_id = ${owner_id}, updated_at = clock_now() where id = ${asset_id} returning id`,
  );
}

export async function setVisibility(tx: GovernedTx, asset_id: string, visibility: Visibility): Promise<void> {
  await tx.write(
    'asset',
    sql`update asset set visibility = ${visibility}, updated_at = clock_now() where id = ${asset_id} returning id`,
  );
}

export const lockAsset = async (tx: GovernedTx, asset_id: string) =>
  await tx.one<{ visibility: Visibility }>(sql`select visibility from asset where id = ${asset_id} for no key update`);

/** The existing ones. */
export const lockAssets = async (tx: GovernedTx, ids: readonly string[]) =>
  await tx.all<{ id: string; kind: AssetKind; name: string }>(
    sql`select id, kind, name from asset where id = any(${ids}) order by kind, name for no key update`,
  );

/** False when nothing changes. */
export async function setPublished(tx: GovernedTx, asset_id: string, published: boolean): Promise<boolean> {
  const rows = await tx.write(
    'asset',
    sql`update asset set published = ${published}, updated_at = clock_now() where id = ${asset_id} and published <> ${published} returning id`,
  );
  return rows.length === 1;
}

export interface Belonging {
  team_id: string;
  owner_id: string;
  visibility: Visibility;
  /** All searchable words, separated by spaces (words.ts). */
  search: string;
}

export async function setBelonging(tx: GovernedTx, asset_id: string, belonging: Belonging): Promise<void> {
  await tx.write(
    'asset',
    sql`
    update asset set team_id = ${belonging.team_id}, owner_id = ${belonging.owner_id}, visibility = ${belonging.visibility},
      search = to_tsvector('simple', ${belonging.search}), updated_at = clock_now() where id = ${asset_id} returning id`,
  );
}

/** False for a missing one. It cannot be deleted until the transaction ends. */
export const holdAsset = async (tx: GovernedTx, asset_id: string): Promise<boolean> =>
  (await tx.one(sql`select 1 from asset where id = ${asset_id} for key share`)) !== undefined;

export const assetNames = async (db: Reader, ids: readonly string[]) =>
  await db.all<{ id: string; name: string }>(sql`select id, name from asset where id = any(${ids})`);

/** The team of the deleted asset that had this name last. */
export const formerTeam = async (db: Reader, { kind, name }: { kind: AssetKind; name: string }) =>
  await db.one<{ team_id: string; own_price: Record<string, string> | null }>(sql`
    select team_id, own_price from former_name where kind = ${kind} and name = ${name}`);

export const isTaken = async (db: Reader, { kind, name }: { kind: AssetKind; name: string }): Promise<boolean> =>
  (await db.one(sql`select 1 from asset where kind = ${kind} and name = ${name}`)) !== undefined;

/** Access removes the ACL rows. Content stays, because another version may have the same. The name stays with the team. */
export async function deleteAsset(tx: GovernedTx, asset_id: string): Promise<void> {
  await tx.run(sql`
    insert into former_name (kind, name, team_id, own_price)
    select a.kind, a.name, a.team_id, (
      select c.config -> 'price_usd_per_million' from version v join content c on c.digest = v.digest
      where v.asset_id = a.id order by ${byNumber} desc limit 1
    ) from asset a where a.id = ${asset_id}
    on conflict (kind, name) do update set team_id = excluded.team_id, own_price = excluded.own_price`);
  await tx.write('asset', sql`update asset set serving_version_id = null where id = ${asset_id} returning id`);
  await tx.write('prompt_label_move', sql`delete from prompt_label_move where asset_id = ${asset_id} returning id`);
  await tx.write('version', sql`delete from version where asset_id = ${asset_id} returning id`);
  await tx.write('asset', sql`delete from asset where id = ${asset_id} returning id`);
}

/** The highest first. */
export const versions = async (db: Reader, asset_id: string) =>
  await db.all<VersionRow>(
    sql`select ${versionColumns} from ${versionTables} where v.asset_id = ${asset_id} order by ${byNumber} desc`,
  );

export async function version(db: Reader, asset_id: string, version: string): Promise<VersionRow | undefined> {
  const exact = version === 'latest' ? nothing : sql`and v.version = ${version}`;
  return await db.one<VersionRow>(
    sql`select ${versionColumns} from ${versionTables} where v.asset_id = ${asset_id} ${exact} order by ${byNumber} desc limit 1`,
  );
}

/** The highest version of each asset. */
export const latestVersions = async (db: Reader, asset_ids: readonly string[]) =>
  await db.all<{ asset_id: string; id: string }>(sql`
    select distinct on (v.asset_id) v.asset_id, v.id from version v where v.asset_id = any(${asset_ids})
    order by v.asset_id, ${byNumber} desc`);

export const versionById = async (db: Reader, id: string) =>
  await db.one<VersionRow>(sql`select ${versionColumns} from ${versionTables} where v.id = ${id}`);

/** Ids of all users who ever pushed under these versions, by version id. For a service principal, the users who were shown its keys count too. */
export async function authors(db: Reader, version_ids: readonly string[]): Promise<Map<string, string[]>> {
  const rows = await db.all<{ id: string; authors: string[] }>(sql`
    select v.id, array_to_json(v.authors || array(select issued_to from service_key where principal_id = any(v.authors))) as authors
    from version v where v.id = any(${version_ids})`);
  return new Map(rows.map((row) => [row.id, row.authors]));
}

/** The target of a reference without a version: the highest final version, or else the highest draft. */
export async function currentVersions(db: Reader, asset_ids: readonly string[]): Promise<VersionRow[]> {
  return await db.all<VersionRow>(sql`
    select distinct on (v.asset_id) ${versionColumns} from ${versionTables} where v.asset_id = any(${asset_ids})
    order by v.asset_id, (v.state = 'final') desc, ${byNumber} desc`);
}

/** The MCP servers whose newest version is called for its end callers, by name. */
export const serversForCallers = async (db: Reader) =>
  await db.all<{ name: string }>(sql`
    select a.name from asset a cross join lateral (
      select c.config from version v join content c on c.digest = v.digest where v.asset_id = a.id
      order by (v.state = 'final') desc, ${byNumber} desc limit 1) newest
    where a.kind = 'mcp-server' and newest.config->>'as' in ('user', 'delegate') order by a.name`);

export interface NewVersion {
  asset_id: string;
  version: string;
  digest: string;
  state: 'draft' | 'final';
  message: string;
  pushed_by: string;
}

/** A new version, or the existing draft with new content; undefined when that version is final. */
export async function putVersion(tx: GovernedTx, next: NewVersion): Promise<string | undefined> {
  const [row] = await tx.write(
    'version',
    sql`
    insert into version as v (asset_id, version, digest, state, message, pushed_by, authors)
    values (${next.asset_id}, ${next.version}, ${next.digest}, ${next.state}, ${next.message}, ${next.pushed_by}, array[${next.pushed_by}::uuid])
    on conflict (asset_id, version) do update set digest = excluded.digest, message = excluded.message, pushed_by = excluded.pushed_by,
      authors = (select array_agg(distinct author) from unnest(v.authors || excluded.pushed_by) author), pushed_at = clock_now()
    where v.state = 'draft' returning id`,
  );
  return row?.id;
}

/** The version's digest, locked until the transaction ends. */
export async function lockDigest(tx: GovernedTx, version_id: string): Promise<string | undefined> {
  const row = await tx.one<{ digest: string }>(sql`select digest from version where id = ${version_id} for update`);
  return row?.digest;
}

/** False when the version has another digest now, or is gone. The row stays locked until commit. */
export async function finalise(tx: GovernedTx, version_id: string, digest: string): Promise<boolean> {
  const rows = await tx.write(
    'version',
    sql`update version set state = 'final' where id = ${version_id} and digest = ${digest} returning id`,
  );
  return rows.length === 1;
}
