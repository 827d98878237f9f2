// Threads of others that are shared with the caller. Promises: whoever is not named, has left the team, has lost `use` of the agent or comes after
// the end gets the answer for a missing share. Each look is in the log before the text goes out.
import type { Page } from '@gantry/contract/endpoint.ts';
import type { SharedThread, SharedThreadDetail } from '@gantry/contract/agents/thread-shares.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller, SignedInCaller } from '../../../governance/access/caller.ts';
import { change } from '../../../governance/access/change.ts';
import { decide } from '../../../governance/access/decide.ts';
import { loadAsset } from '../../../assets/registry/load-asset.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { settings } from '../../../people/principals/find.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import * as stateStore from '../state-store.ts';
import * as threadStore from '../thread-store.ts';
import { printStates } from '../threads/print-thread.ts';
import { detailOf, type ThreadParts } from '../threads/threads.ts';
import * as store from './share-store.ts';
import type { Reading, SharedRow } from './share-store.ts';
import { printWith } from './share-thread.ts';

/** Of an agent without messages, each run is a turn. */
const most_states = 100;

interface Asked {
  caller: Caller;
  name: string;
}

export async function listShared(
  { db, cursors }: ThreadParts,
  { caller, name, limit, cursor }: Asked & { limit: number; cursor?: string | undefined },
): Promise<Page<SharedThread>> {
  const agent = await loadAsset(db, { kind: 'agent', name }, caller);
  const user = signedIn(caller);
  authorize(user, 'asset.invoke', agent);
  const scope = ['shared_threads', user.id, agent.id];
  const before = cursors.read(cursor, scope) as [string, string] | undefined;
  const reading = await readingOf(db, user, agent.id);
  const found = reading === undefined ? [] : await store.listFor(db, { ...reading, before, limit: limit + 1 });
  return cursors.page(found, limit, scope, ({ created_at, id }) => [created_at, id], printShared);
}

/** Throws `not_found` or `memory_damaged`. */
export async function lookAtShared(
  parts: ThreadParts,
  { caller, name, share: id, history }: Asked & { share: string; history: boolean },
): Promise<SharedThreadDetail> {
  const { db } = parts;
  const agent = await loadAsset(db, { kind: 'agent', name }, caller);
  const user = signedIn(caller);
  const reading = await readingOf(db, user, agent.id);
  if (reading === undefined || !decide(user, 'asset.invoke', agent).allowed) throw new Problem('not_found');
  const grant = authorize(user, 'asset.invoke', agent);
  const share = await store.findFor(db, { id, ...reading });
  if (share === undefined) throw new Problem('not_found');
  const row = await threadStore.findOfAnybody(db, { id: share.thread_id, agent_id: agent.id });
  if (row === undefined) throw new Problem('not_found');
  const detail = await detailOf(parts, row);
  const states = history ? await stateStore.findStates(db, row.id, { ns: '', limit: most_states }) : [];
  const printed = history ? await printStates(parts, row.id, states) : null;
  await change(db, grant, 'thread.looked_at', async (_, note) => {
    note({ thread: row.id, caller: share.owner, share: id });
    await Promise.resolve();
  });
  return { ...detail, owner: share.owner, share: printShared(share), history: printed };
}

/** A share is for people. Undefined also where the organisation lets nobody share. */
async function readingOf(db: Reader, user: SignedInCaller, agent_id: string): Promise<Reading | undefined> {
  if (user.kind !== 'user' || (await settings(db)).share_threads_days === 0) return undefined;
  return { agent_id, user_id: user.id, team_ids: user.memberships.map(({ team_id }) => team_id) };
}

function printShared(row: SharedRow): SharedThread {
  const { id, owner, ends_at, created_at } = row;
  return { id, owner, with: printWith(row), ends_at, created_at };
}
