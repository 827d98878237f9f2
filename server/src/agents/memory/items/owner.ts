// Whose items a run reaches. The service decides from the revision, which a push, a review and a deploy have seen. A request names nobody.
import { Problem } from '@gantry/contract/problems.ts';
import type { Reader } from '../../../ground/database/database.ts';
import type { Owner } from '../item-store.ts';
import * as store from '../scope-store.ts';
import type { Scope } from '../scope-store.ts';

/** `caller_id`: the end caller. */
export function ownerOfItems(
  { agent_id, memory_scope, memory_config_id, team_id }: Scope,
  caller_id: string,
): { owner: Owner; writer_id: string | null } {
  if (memory_scope === 'user')
    return { owner: { agent_id, owner: `user ${caller_id}`, owner_id: caller_id }, writer_id: null };
  if (memory_scope === 'agent')
    return { owner: { agent_id, owner: `agent ${agent_id}`, owner_id: agent_id }, writer_id: caller_id };
  if (memory_config_id === null) throw new Error(`agent ${agent_id} shares items without a memory config`);
  return {
    owner: { agent_id: memory_config_id, owner: `team ${team_id}`, owner_id: team_id },
    writer_id: caller_id,
  };
}

/** The items of one's own with an agent. Throws `forbidden` for an agent whose callers share them: only its code decides what is told to others. */
export async function requireOwnItems(db: Reader, agent: { id: string; ref: string }): Promise<void> {
  const scope = await store.servingScope(db, agent.id);
  if (scope === undefined || scope.memory_scope === 'user') return;
  throw new Problem('forbidden', {
    detail: `The callers of ${agent.ref} share the items of its store. Only its runs reach them.`,
    hint: 'Call the agent: its code reads and writes them.',
  });
}
