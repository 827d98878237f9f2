// Notifications follow the audit log. Promise: everybody whom an entry concerns is told of it once, whatever is killed in between: the
// entries, who is told, their mail and the cursor move in one transaction. What makes an approval, or invites somebody, knows nothing of
// this.
import type { AuditEntry } from '@gantry/contract/audit.ts';
import { notificationKinds, type NotificationKind } from '@gantry/contract/notifications.ts';
import { isId } from '@gantry/contract/wire.ts';
import { entriesAfter } from '../audit/entries.ts';
import type { Database } from '../database/database.ts';
import * as store from './store.ts';

const most_entries = 500;

export type CatchUp = () => Promise<boolean>;

/** True when there may be more to tell. */
export async function tellNews(db: Database, { mail }: { mail: boolean }): Promise<boolean> {
  if (!(await store.isBehind(db))) return false;
  return await db.transaction(async (tx) => {
    const cursor = await store.holdCursor(tx);
    const entries = await entriesAfter(tx, 'governance', cursor, most_entries);
    for (const entry of entries) {
      for (const news of newsOf(entry)) await store.tell(tx, news, { mail });
      const { password_token } = entry.detail;
      // Its mail waits for a mail server, should there be none by now.
      if (isId(password_token)) await store.queuePasswordMail(tx, password_token);
    }
    const last = entries.at(-1);
    if (last !== undefined) await store.moveCursor(tx, last.seq);
    return entries.length === most_entries;
  });
}

/** A submission asks the admins; whatever becomes of it is told to its submitter. */
function newsOf(entry: AuditEntry): store.News[] {
  const [noun, verb] = entry.event.split('.');
  const { approval_id, superseded, decision, reason, message } = entry.detail;
  const kind = kindOf(verb === 'decided' ? decision : verb);
  if (noun !== 'approval' || kind === undefined || !isId(approval_id)) return [];
  const news: store.News = {
    seq: entry.seq,
    kind,
    approval_id,
    asset: entry.asset ?? '',
    actor: entry.actor,
    words: asText(kind === 'submitted' ? message : reason),
    audience: kind === 'submitted' || kind === 'withdrawn' ? 'admins' : 'submitter',
  };
  const gone = Array.isArray(superseded) ? superseded.filter(isId) : [];
  return [
    news,
    ...gone.map((id) => ({ ...news, approval_id: id, kind: 'superseded', audience: 'submitter', words: '' }) as const),
  ];
}

function kindOf(word: unknown): NotificationKind | undefined {
  return notificationKinds.find((kind) => kind === word);
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
