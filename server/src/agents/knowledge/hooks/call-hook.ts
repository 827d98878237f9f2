// The system of a source says that something has changed. Promises: a refresh begins after each such call, however many there are: while one runs, one more waits
// in the database, and further calls mean that one. Must never happen: a call without the secret learns whether a hook exists, or what a body says is followed.
import { randomBytes } from 'node:crypto';
import { Problem } from '@gantry/contract/problems.ts';
import type { Origin } from '../../../governance/access/caller.ts';
import type { Reader } from '../../../ground/database/database.ts';
import * as store from '../hook-store.ts';
import type { KnowledgeParts } from '../parts.ts';
import * as refreshes from '../refresh-store.ts';
import { startAsOwner } from '../refresh/start-as-owner.ts';
import { provesSecret, type HookRequest } from './prove-secret.ts';

type HookParts = Pick<KnowledgeParts, 'db' | 'envelope'>;

/** A hook that does not exist takes the same time. */
const of_no_hook = randomBytes(32).toString('base64url');

export async function callHook(
  { db, envelope }: HookParts,
  { id, origin, ...request }: HookRequest & { id: string; origin: Origin },
): Promise<void> {
  const hook = await store.byId(db, id);
  const secret = hook === undefined ? of_no_hook : envelope.open(hook.secret, { table: 'knowledge_hook', id });
  if (!provesSecret(secret, request) || hook === undefined)
    throw new Problem('unauthenticated', {
      detail: 'There is no such hook, or its secret is another one.',
      hint: 'Send the secret as the system does that calls it. For a new one: `svc kb hook delete <name>`, then `svc kb hook create <name>`.',
    });
  const isNeeded = async (reader: Reader) => !(await refreshes.waits(reader, hook.base_id));
  // Many calls hold nothing.
  if (!(await isNeeded(db))) return;
  await startAsOwner(db, hook.base_id, { started: 'hook', isNeeded, origin, behind: true, noted: { hook: id } });
}
