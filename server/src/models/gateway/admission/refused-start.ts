// The last refused call of an agent during its start. The message of a failed start shows it: the client of a model's vendor often hides it.
import type { Problem } from '@gantry/contract/problems.ts';
import type { KeyCaller } from '../../../governance/access/caller.ts';
import type { Database, Reader } from '../../../ground/database/database.ts';
import type { GatewayParts } from '../parts.ts';
import type { GatewayRun } from '../run-of-call.ts';
import * as store from '../store.ts';

const keep_hours = 24;
const max_characters = 2000;

export async function noteRefusedStart(
  { db, onBroken }: Pick<GatewayParts, 'db' | 'onBroken'>,
  { caller, run, problem }: { caller: KeyCaller; run: GatewayRun; problem: Problem },
): Promise<void> {
  // No run of an agent begins before its registration.
  if (caller.scope !== 'agent' || run.run_id !== null) return;
  const { detail, hint = null } = problem;
  // The client gets the refusal also when it cannot be noted.
  const refused = { key_id: caller.id, detail: detail.slice(0, max_characters), hint };
  await store.putRefusedStart(db, refused).catch(onBroken);
}

/** Undefined for a key that a deploy has registered. */
export async function lastRefusedStart(db: Reader, key_id: string): Promise<store.RefusedStart | undefined> {
  return await store.refusedStart(db, key_id);
}

export async function forgetOldRefusedStarts(db: Database): Promise<void> {
  await store.forgetRefusedStarts(db, keep_hours);
}
