import type { Handlers, SurfaceHandlers } from '../../governance/http/handlers.ts';
import { copyThread, deleteRuns, deleteStates, prune } from './door/change-threads.ts';
import { putStates } from './door/put-states.ts';
import { readStates } from './door/read-states.ts';
import { carryOutItems } from './items/items.ts';
import { answerThread } from './inbox/answer.ts';
import { listInbox } from './inbox/list-inbox.ts';
import { forgetUser, type ForgetParts } from './forget-user.ts';
import type { Ingress } from '../invoke/ingress.ts';
import type { ItemParts } from './items/searching.ts';
import { lookAtShared, listShared } from './shares/shared-threads.ts';
import { listShares, shareThread, unshareThread } from './shares/share-thread.ts';
import { lookAtThread } from './threads/look-at-thread.ts';
import {
  allThreads,
  createThread,
  deleteThread,
  forkThread,
  listThreads,
  showThread,
  threadHistory,
  type ThreadParts,
} from './threads/threads.ts';

type OfTheApi = 'threads.all' | 'threads.look' | 'threads.forget_user';

/** At the door of the agents. */
export function memoryDoorRoutes(parts: ItemParts): SurfaceHandlers<'memory'> {
  return {
    'memory.states': async ({ caller, query: { thread, ...wanted } }) =>
      await readStates(parts, { caller, thread, ...wanted }),
    'memory.put_states': async ({ caller, query: { thread }, body }) =>
      await putStates(parts, { caller, thread, body }),
    'memory.delete_states': async ({ caller, query: { thread } }) => await deleteStates(parts, { caller, thread }),
    'memory.copy_thread': async ({ caller, body }) => await copyThread(parts, { caller, ...body }),
    'memory.delete_runs': async ({ caller, body }) => await deleteRuns(parts, { caller, ...body }),
    'memory.prune': async ({ caller, body }) => await prune(parts, { caller, ...body }),
    'memory.items': async ({ caller, body: { ops }, signal }) => await carryOutItems(parts, { caller, ops, signal }),
  };
}

export function threadsRoutes(ingress: Ingress, parts: ThreadParts): Omit<Handlers<'threads'>, OfTheApi> {
  return {
    'threads.answer': async ({ caller, params, body, headers, trace }) =>
      await answerThread(ingress, { caller, ...params, ...body, headers, trace }),
    'threads.list': async ({ caller, params, query }) => await listThreads(parts, { caller, ...params, ...query }),
    'threads.create': async ({ caller, params, body }) => await createThread(parts, { caller, ...params, ...body }),
    'threads.show': async ({ caller, params }) => await showThread(parts, { caller, ...params }),
    'threads.history': async ({ caller, params, query }) => await threadHistory(parts, { caller, ...params, ...query }),
    'threads.fork': async ({ caller, params, body }) => await forkThread(parts, { caller, ...params, ...body }),
    'threads.delete': async ({ caller, params }) => await deleteThread(parts, { caller, ...params }),
    'threads.share': async ({ caller, params, body }) => await shareThread(parts, { caller, ...params, ...body }),
    'threads.shares': async ({ caller, params, query }) => await listShares(parts, { caller, ...params, ...query }),
    'threads.unshare': async ({ caller, params }) => await unshareThread(parts, { caller, ...params }),
    'threads.shared': async ({ caller, params, query }) => await listShared(parts, { caller, ...params, ...query }),
    'threads.look_shared': async ({ caller, params, query }) =>
      await lookAtShared(parts, { caller, ...params, ...query }),
  };
}

/** What has no agent in its path, and what those who look after agents see. */
export function threadsApiRoutes(
  parts: ThreadParts & ForgetParts,
): Pick<Handlers<'threads'>, OfTheApi> & Handlers<'inbox'> {
  return {
    'threads.forget_user': async ({ caller, params }) => await forgetUser(parts, { caller, ...params }),
    'inbox.list': async ({ caller, query }) => await listInbox(parts, caller, query),
    'threads.look': async ({ caller, params }) => await lookAtThread(parts, { caller, ...params }),
    'threads.all': async ({ caller, params, query }) => await allThreads(parts, { caller, ...params, ...query }),
  };
}
