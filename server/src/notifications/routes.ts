import type { Database } from '../database/database.ts';
import type { Cursors } from '../http/cursor.ts';
import type { Handlers } from '../http/handlers.ts';
import { count } from './count.ts';
import { list } from './list.ts';
import { markRead } from './mark-read.ts';

export function notificationsRoutes({ db, cursors }: { db: Database; cursors: Cursors }): Handlers<'notifications'> {
  return {
    'notifications.list': async ({ caller, query }) => await list(db, cursors, caller, query),
    'notifications.count': async ({ caller }) => await count(db, caller),
    'notifications.read': async ({ caller, body }) => await markRead(db, caller, body.ids),
  };
}
