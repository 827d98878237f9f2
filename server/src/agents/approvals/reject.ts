import type { Approval } from '@gantry/contract/agents/approvals.ts';
import type { Caller } from '../../governance/access/caller.ts';
import type { Database } from '../../ground/database/database.ts';
import { decideRequest } from './decide-request.ts';

/** The version stays a draft, and the submitter gets the reason. */
export async function reject(db: Database, caller: Caller, id: string, reason: string): Promise<Approval> {
  return await decideRequest(db, caller, id, { status: 'rejected', reason });
}
