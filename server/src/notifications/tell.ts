// Notifications follow the audit log. Promise: every recipient of an entry is notified of it once, even across a kill.
import type { AuditEntry } from '@gantry/contract/audit.ts';
import { notificationKinds, kindsForAdmins, type NotificationKind } from '@gantry/contract/notifications.ts';
import { isId } from '@gantry/contract/wire.ts';
import { follow } from '../audit/follow.ts';
import type { Database } from '../database/database.ts';
import { enqueue } from '../queue/queue.ts';
import { mailKey, mailQueue } from './send-mail.ts';
import * as store from './store.ts';

const limit = 500;

export type CatchUp = () => Promise<boolean>;

/** True when more entries may follow. A mail with a password token waits until a mail server is set up. */
export async function tell(db: Database, { mail }: { mail: boolean }): Promise<boolean> {
  return await follow(db, { cursor: 'notifications', limit }, async (tx, entries) => {
    for (const entry of entries) {
      for (const one of notificationsOf(entry)) {
        const ids = await store.insert(tx, one);
        if (mail)
          await enqueue(
            tx,
            mailQueue,
            ids.map((id) => ({ key: mailKey('notification', id) })),
          );
      }
      const { password_token } = entry.detail;
      if (isId(password_token)) await enqueue(tx, mailQueue, [{ key: mailKey('password_token', password_token) }]);
    }
  });
}

/** A submission notifies the admins; each later event notifies its submitter. */
function notificationsOf(entry: AuditEntry): store.NewNotification[] {
  const [noun, verb] = entry.event.split('.');
  const { approval_id, superseded, decision, reason, message } = entry.detail;
  const kind = kindOf(verb === 'decided' ? decision : verb);
  if (noun !== 'approval' || kind === undefined || !isId(approval_id)) return [];
  const notification: store.NewNotification = {
    seq: entry.seq,
    kind,
    approval_id,
    asset: entry.asset ?? '',
    actor: entry.actor,
    words: asText(kind === 'submitted' ? message : reason),
    audience: kindsForAdmins.includes(kind) ? 'admins' : 'submitter',
  };
  const gone = Array.isArray(superseded) ? superseded.filter(isId) : [];
  return [
    notification,
    ...gone.map(
      (id) => ({ ...notification, approval_id: id, kind: 'superseded', audience: 'submitter', words: '' }) as const,
    ),
  ];
}

function kindOf(word: unknown): NotificationKind | undefined {
  return notificationKinds.find((kind) => kind === word);
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
