import { approvedVersions } from '../approvals/approval-for.ts';
import type { Database } from '../database/database.ts';
import type { Cursors } from '../http/cursor.ts';
import type { Handlers } from '../http/handlers.ts';
import { lastSeq } from '../http/last-event-id.ts';
import { create } from './create.ts';
import { edit } from './edit.ts';
import { list, search } from './list.ts';
import { push } from './push.ts';
import { pushEvents, showPush } from './show-push.ts';
import { show } from './show.ts';
import { turns } from './turns.ts';

// A push is held in memory until it is stored, up to 200 MB each.
const pushes_at_once = 4;
const push_wait_ms = 60_000;

type RegistryHandlers = Pick<Handlers<'agents'>, 'agents.push'> & Handlers<'pushes'> & Handlers<'registry'>;

export function registryRoutes({ db, cursors }: { db: Database; cursors: Cursors }): RegistryHandlers {
  const inTurn = turns(pushes_at_once, push_wait_ms, 'Too many pushes arrive at once.');
  return {
    'agents.push': async ({ caller, params, query, body, signal }) => {
      const request = { name: params.name, message: query.message, archive: body, signal };
      const id = await inTurn(signal, async () => await push(db, caller, request));
      return await showPush(db, caller, id);
    },
    'pushes.show': async ({ caller, params }) => await showPush(db, caller, params.id),
    'pushes.events': async ({ caller, params, query, request, signal }) => {
      const after = lastSeq(request) ?? query.after ?? 0;
      return await pushEvents(db, caller, params.id, after, signal);
    },
    'registry.search': async ({ caller, query }) => await search(db, cursors, caller, query),
    'registry.list': async ({ caller, params, query }) =>
      await list(db, cursors, caller, { ...query, kind: params.kind }),
    'registry.show': async ({ caller, params }) => await show(db, approvedVersions, caller, params),
    'registry.create': async ({ caller, params, body }) => {
      await create(db, caller, params.kind, body);
      return await show(db, approvedVersions, caller, { kind: params.kind, name: body.name });
    },
    'registry.edit': async ({ caller, params, body }) => {
      await edit(db, caller, params, body);
      return await show(db, approvedVersions, caller, params);
    },
  };
}
