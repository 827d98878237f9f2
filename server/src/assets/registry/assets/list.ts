import type { Page } from '@gantry/contract/endpoint.ts';
import type { Asset } from '@gantry/contract/assets/registry.ts';
import type { AssetKind } from '@gantry/contract/roles.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller, SignedInCaller } from '../../../governance/access/caller.ts';
import { theOrg } from '../../../governance/access/subject.ts';
import type { Database, Reader } from '../../../ground/database/database.ts';
import type { Sql } from '../../../ground/database/sql.ts';
import type { Cursors } from '../../../governance/http/cursor.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import { toAssetRecord } from '../asset.ts';
import { isListed } from '../policy.ts';
import { listedRecord } from './records.ts';
import * as store from '../store.ts';
import { prefixQuery } from '../words.ts';

export interface AssetQuery {
  kind?: AssetKind | undefined;
  team?: string | undefined;
  limit: number;
  cursor?: string | undefined;
  total?: boolean | undefined;
}

/** A condition on `asset a` from a higher feature; its name makes a cursor belong to it. */
export interface Narrowing {
  name: string;
  where: Sql;
}

/** By name. */
export async function list(
  db: Database,
  cursors: Cursors,
  caller: Caller,
  query: AssetQuery & { narrowing?: Narrowing | undefined },
): Promise<Page<Asset>> {
  return await page(db, cursors, caller, query, undefined);
}

/** Each word of `q` begins a word of the name, description, tags, team or framework. The best match comes first; without `q`, by name. */
export async function search(
  db: Database,
  cursors: Cursors,
  caller: Caller,
  { q, ...query }: AssetQuery & { q?: string | undefined; narrowing?: Narrowing | undefined },
): Promise<Page<Asset>> {
  if (q === undefined) return await list(db, cursors, caller, query);
  const words = prefixQuery(q);
  return words === undefined
    ? { items: [], ...(query.total === true && { total: 0 }) }
    : await page(db, cursors, caller, query, words);
}

/** The first ones in an order of a higher feature, on `asset a`. */
export async function listFirst(
  db: Reader,
  user: SignedInCaller,
  query: { kind: AssetKind; team?: string | undefined; where: Sql; order: Sql; limit: number },
): Promise<Asset[]> {
  const rows = await store.firstListed(db, user, query);
  return rows.filter((row) => isListed(user, toAssetRecord(row))).map(listedRecord);
}

export async function countWhere(
  db: Reader,
  user: SignedInCaller,
  query: { kind: AssetKind; team?: string | undefined; where: Sql },
): Promise<number> {
  return await store.countListed(db, user, query);
}

async function page(
  db: Database,
  cursors: Cursors,
  caller: Caller,
  { kind, team, limit, cursor, total = false, narrowing }: AssetQuery & { narrowing?: Narrowing | undefined },
  words: string | undefined,
): Promise<Page<Asset>> {
  const user = signedIn(caller);
  authorize(user, 'asset.list', theOrg);
  const scope = ['registry', user.id, kind ?? null, team ?? null, words ?? null, narrowing?.name ?? null];
  const [rank, name, kindAfter] = cursors.read(cursor, scope) ?? [];
  const after = rank === undefined ? undefined : { rank: Number(rank), name: String(name), kind: String(kindAfter) };
  const filter = { kind, team, query: words, where: narrowing?.where };
  const rows = await store.listed(db, user, { ...filter, after, limit: limit + 1 });
  const shown = cursors.page(
    rows,
    limit,
    scope,
    (row) => [row.rank, row.name, row.kind],
    (row) => (isListed(user, toAssetRecord(row)) ? listedRecord(row) : undefined),
  );
  return { ...shown, ...(total && { total: await store.countListed(db, user, filter) }) };
}
