import type { Approval } from '@gantry/contract/agents/approvals.ts';
import type { Caller } from '../../governance/access/caller.ts';
import type { Database } from '../../ground/database/database.ts';
import type { PlanFor } from './covers.ts';
import { decideRequest } from './decide-request.ts';

/** Deployers may then deploy exactly this digest to this target. The version's content becomes final. */
export async function approve(
  { db, planFor }: { db: Database; planFor: PlanFor },
  caller: Caller,
  id: string,
  reason: string,
): Promise<Approval> {
  return await decideRequest(db, caller, id, { status: 'approved', reason, planFor });
}
