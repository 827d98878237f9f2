// The name of a deleted asset stays with its team. Agents, configs and people call assets by their names: a stranger's asset would get what they send.
import { Problem } from '@gantry/contract/problems.ts';
import { printRef, type AssetRef } from '@gantry/contract/refs.ts';
import type { SignedInCaller } from '../../../governance/access/caller.ts';
import type { Reader } from '../../../ground/database/database.ts';
import * as store from '../store.ts';

/** Throws `exists` for a name that another team had, unless a platform admin gives it away. */
export async function requireOwnName(
  db: Reader,
  user: SignedInCaller,
  { team_id, ...ref }: AssetRef & { team_id: string },
): Promise<void> {
  if (user.kind === 'user' && user.role === 'admin') return;
  const former = await store.formerTeam(db, ref);
  if (former === undefined || former.team_id === team_id) return;
  throw new Problem('exists', {
    detail: `Another team had ${printRef(ref)} and deleted it. The name stays with that team, because callers may still use it.`,
    hint: 'Choose another name, or ask a platform admin to make the asset.',
  });
}
