import { randomBytes, randomUUID } from 'node:crypto';
import type { KnowledgeHook, KnowledgeUpkeep } from '@gantry/contract/agents/knowledge-hooks.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import { actorOf, type Caller } from '../../../governance/access/caller.ts';
import { change } from '../../../governance/access/change.ts';
import { errorCode, unique_violation } from '../../../ground/database/database.ts';
import { loadAsset, holdAsset } from '../../../assets/registry/load-asset.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import * as store from '../hook-store.ts';
import type { KnowledgeParts } from '../parts.ts';
import * as refreshes from '../refresh-store.ts';
import { showRefresh } from '../refresh/show-refresh.ts';
import { loadBase } from '../snapshots/list-snapshots.ts';

type HookParts = Pick<KnowledgeParts, 'db' | 'envelope' | 'base_url'>;

/** Throws `exists`. Nothing shows the secret again. */
export async function createHook(
  { db, envelope, base_url }: HookParts,
  caller: Caller,
  name: string,
): Promise<KnowledgeHook & { secret: string }> {
  const base = await loadAsset(db, { kind: 'knowledge-base', name }, signedIn(caller));
  const grant = authorize(caller, 'asset.write', base);
  const [id, secret] = [randomUUID(), randomBytes(32).toString('base64url')];
  const sealed = envelope.seal(secret, { table: 'knowledge_hook', id });
  await change(db, grant, 'knowledge.hook_created', async (tx, note) => {
    authorize(caller, 'asset.write', await holdAsset(tx, base.id, caller));
    await store.insert(tx, { id, base_id: base.id, secret: sealed, created_by: actorOf(caller).name });
    note({ hook: id });
  }).catch((error: unknown) => {
    if (errorCode(error) !== unique_violation) throw error;
    throw new Problem('exists', {
      detail: `${base.ref} has a hook.`,
      hint: `For another secret, delete it first: svc kb hook delete ${name}`,
    });
  });
  const row = await store.ofBase(db, base.id);
  // Somebody has deleted it since.
  if (row === undefined) throw new Problem('not_found');
  return { ...print(row, base_url()), secret };
}

/** Throws `not_found` without one. */
export async function deleteHook({ db }: Pick<HookParts, 'db'>, caller: Caller, name: string): Promise<void> {
  const base = await loadAsset(db, { kind: 'knowledge-base', name }, signedIn(caller));
  const grant = authorize(caller, 'asset.write', base);
  await change(db, grant, 'knowledge.hook_deleted', async (tx, note) => {
    authorize(caller, 'asset.write', await holdAsset(tx, base.id, caller));
    const hook = await store.ofBase(tx, base.id);
    if (hook === undefined || !(await store.remove(tx, base.id)))
      throw new Problem('not_found', {
        detail: `${base.ref} has no hook.`,
        hint: `Make one: svc kb hook create ${name}`,
      });
    note({ hook: hook.id });
  });
}

export async function showUpkeep({ db, base_url }: HookParts, caller: Caller, name: string): Promise<KnowledgeUpkeep> {
  const base = await loadBase(db, caller, name);
  const [schedule, last, hook] = await Promise.all([
    refreshes.scheduleOf(db, base.id),
    refreshes.lastOf(db, base.id),
    store.ofBase(db, base.id),
  ]);
  return {
    refresh_hours: schedule?.refresh_hours ?? null,
    next_at: schedule?.next_at ?? null,
    last: last === undefined ? null : await showRefresh(db, caller, last.id),
    hook: hook === undefined ? null : print(hook, base_url()),
  };
}

const print = ({ base_id: _, ...row }: store.HookRow, base_url: string): KnowledgeHook => ({
  ...row,
  address: new URL(`/hooks/${row.id}`, base_url).href,
});
