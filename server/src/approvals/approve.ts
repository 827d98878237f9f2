import type { Approval } from '@gantry/contract/approvals.ts';
import type { Caller } from '../access/caller.ts';
import type { Database } from '../database/database.ts';
import { decideRequest } from './decide-request.ts';

/** Opens exactly this digest and target to deployers, and makes the version's content final. */
export async function approve(db: Database, caller: Caller, id: string, reason: string): Promise<Approval> {
  return await decideRequest(db, caller, id, { status: 'approved', reason });
}
