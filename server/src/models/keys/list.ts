import type { Page } from '@gantry/contract/endpoint.ts';
import type { GatewayKey, GatewayKeyDetail, KeyScope } from '@gantry/contract/models/keys.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import { theOrg } from '../../governance/access/subject.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import type { KeyParts } from './parts.ts';
import { canUseKey } from './can-use-key.ts';
import { isListed } from './policy.ts';
import { loadKey, toRecords } from './record.ts';
import * as store from './store.ts';

export interface Asked {
  scope?: KeyScope | undefined;
  team?: string | undefined;
  key?: string | undefined;
  all: boolean;
  limit: number;
  total: boolean;
  cursor?: string | undefined;
}

export async function listKeys(
  { db, cursors }: KeyParts,
  caller: Caller,
  { limit, cursor, total, ...filter }: Asked,
): Promise<Page<GatewayKey>> {
  const user = signedIn(caller);
  authorize(user, 'key.list', theOrg);
  const scope = ['keys', filter, user.id];
  const [created_at, id] = cursors.read(cursor, scope) ?? [];
  const after = created_at === undefined ? undefined : { created_at: String(created_at), id: String(id) };
  const rows = await store.keys(db, { caller: user, ...filter, after, limit: limit + 1 });
  const records = new Map((await toRecords(db, rows)).map((record) => [record.id, record]));
  const page = cursors.page(
    rows,
    limit,
    scope,
    (row) => [row.created_at, row.id],
    (row) => (isListed(user, row) ? records.get(row.id) : undefined),
  );
  return { ...page, ...(total && { total: await store.countKeys(db, { caller: user, ...filter }) }) };
}

export async function showKey({ db }: KeyParts, caller: Caller, id: string): Promise<GatewayKeyDetail> {
  const user = signedIn(caller);
  authorize(user, 'key.list', theOrg);
  const row = await loadKey(db, user, id);
  const [record] = await toRecords(db, [row]);
  if (record === undefined) throw new Error('one row has one record');
  return { ...record, can: await canUseKey(db, user, row) };
}
