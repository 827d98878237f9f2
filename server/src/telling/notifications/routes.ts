import type { Database } from '../../ground/database/database.ts';
import type { Cursors } from '../../governance/http/cursor.ts';
import type { Handlers } from '../../governance/http/handlers.ts';
import { count } from './count.ts';
import { list } from './list.ts';
import { markRead } from './mark-read.ts';
import type { CatchUp } from './tell.ts';

export interface NotificationParts {
  db: Database;
  cursors: Cursors;
  catchUp: CatchUp;
}

export function notificationsRoutes({ db, cursors, catchUp }: NotificationParts): Handlers<'notifications'> {
  return {
    'notifications.list': async ({ caller, query }) => await list(db, catchUp, cursors, caller, query),
    'notifications.count': async ({ caller }) => await count(db, caller),
    'notifications.read': async ({ caller, body }) => await markRead(db, caller, body.ids),
  };
}
