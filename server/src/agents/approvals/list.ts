import type { Approval } from '@gantry/contract/agents/approvals.ts';
import type { Page } from '@gantry/contract/endpoint.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller, SignedInCaller } from '../../governance/access/caller.ts';
import { theOrg } from '../../governance/access/subject.ts';
import type { Database } from '../../ground/database/database.ts';
import type { Cursors } from '../../governance/http/cursor.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import { findAsset } from '../../assets/registry/find.ts';
import { readRef } from '../../assets/registry/assets/read-ref.ts';
import { approvalRecords } from './record.ts';
import * as store from './store.ts';
import { keepWaiting } from './waiting.ts';

export interface ApprovalQuery {
  status?: store.StatusFilter | undefined;
  /** agents/<name> */
  asset?: string | undefined;
  /** A prefix of the id. */
  id?: string | undefined;
  limit: number;
  cursor?: string | undefined;
  total?: boolean | undefined;
}

export async function list(
  db: Database,
  cursors: Cursors,
  caller: Caller,
  query: ApprovalQuery,
): Promise<Page<Approval>> {
  const user = signedIn(caller);
  authorize(user, 'approval.list', theOrg);
  const scope = ['approvals', user.id, query.status ?? null, query.asset ?? null, query.id ?? null];
  const [submitted_at, id] = cursors.read(query.cursor, scope) ?? [];
  const after = submitted_at === undefined ? undefined : { submitted_at: String(submitted_at), id: String(id) };
  const asked = query.asset === undefined ? undefined : readRef(query.asset);
  const asset = asked && (await findAsset(db, asked.kind, asked.name, user));
  // A missing asset gets an empty list, like a hidden one.
  if (asked !== undefined && asset === undefined) return { items: [], ...(query.total === true && { total: 0 }) };
  const { status, id: begins_with, limit } = query;
  const filter = { status, asset_id: asset?.id, begins_with };
  const rows = await store.listed(db, user, { ...filter, after, limit: limit + 1 });
  const kept = status === 'waiting' ? await keepWaiting(db, user, rows) : rows;
  const records = new Map(
    (await approvalRecords(db, user, kept, { inside: true })).map((record) => [record.id, record]),
  );
  const page = cursors.page(
    rows,
    limit,
    scope,
    (row) => [row.submitted_at, row.id],
    (row) => records.get(row.id),
  );
  return { ...page, ...(query.total === true && { total: await count(db, user, filter) }) };
}

// The rule for deciders is more than a condition, so it decides each of the pending requests.
async function count(db: Database, user: SignedInCaller, filter: store.Filter): Promise<number> {
  if (filter.status !== 'waiting') return await store.countListed(db, user, filter);
  const waiting = await keepWaiting(db, user, await store.listed(db, user, filter));
  return (await approvalRecords(db, user, waiting, { inside: true })).length;
}
