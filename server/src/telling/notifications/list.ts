import type { Page } from '@gantry/contract/endpoint.ts';
import type { Notification } from '@gantry/contract/telling/notifications.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import { theOrg } from '../../governance/access/subject.ts';
import type { Database } from '../../ground/database/database.ts';
import type { Cursors } from '../../governance/http/cursor.ts';
import { signedInUser } from '../../people/principals/signed-in.ts';
import { readRows } from './read-rows.ts';
import * as store from './store.ts';
import type { CatchUp } from './tell.ts';

/** The list includes every act before the request. */
export async function list(
  db: Database,
  catchUp: CatchUp,
  cursors: Cursors,
  caller: Caller,
  query: { unread: boolean; limit: number; cursor?: string | undefined },
): Promise<Page<Notification>> {
  const user = signedInUser(caller);
  authorize(user, 'notification.read', theOrg);
  await catchUp();
  const scope = ['notifications', user.id, query.unread];
  const [seq, id] = cursors.read(query.cursor, scope) ?? [];
  const after = seq === undefined ? undefined : { seq: Number(seq), id: String(id) };
  const rows = await store.listed(db, user, { unread: query.unread, after, limit: query.limit + 1 });
  const shown = await readRows(db, user, rows);
  return cursors.page(
    rows,
    query.limit,
    scope,
    (row) => [row.seq, row.id],
    ({ id }) => {
      const row = shown.get(id);
      return row && toNotification(row);
    },
  );
}

function toNotification(row: store.NotificationRow): Notification {
  const { id, kind, approval_id, asset, version, target, account, actor, words, seq, created_at, read_at } = row;
  return {
    id,
    kind,
    approval_id,
    asset,
    asset_version: version,
    target,
    account,
    by: actor,
    text: words,
    audit_seq: seq,
    created_at,
    read_at,
  };
}
