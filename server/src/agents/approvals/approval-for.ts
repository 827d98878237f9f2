import type { Approval } from '@gantry/contract/agents/approvals.ts';
import type { SignedInCaller } from '../../governance/access/caller.ts';
import type { Reader } from '../../ground/database/database.ts';
import { notCovered, type CoveredNow } from './covers.ts';
import { approvalRecords } from './record.ts';
import * as store from './store.ts';

/** The target in a request to approve an asset without a container. */
export const no_target = 'none';

/** The approval of exactly this content and target, if any. Undefined also when a deploy would get more than it covers. */
export async function approvalFor(
  db: Reader,
  content: store.Content,
  now: CoveredNow,
): Promise<{ id: string } | undefined> {
  const row = await store.newest(db, content, 'approved');
  return row === undefined || notCovered(row.covers, now).length > 0 ? undefined : { id: row.id };
}

/** What a deploy would get beyond the approval of exactly this content and target. Empty without one, and while it holds. */
export async function beyondApproval(db: Reader, content: store.Content, now: CoveredNow): Promise<string[]> {
  const row = await store.newest(db, content, 'approved');
  return row === undefined ? [] : notCovered(row.covers, now);
}

/** The newest request for exactly this content and target, for those who may read its words. */
export async function requestFor(
  db: Reader,
  caller: SignedInCaller,
  content: store.Content & { asset_id: string },
): Promise<Approval | undefined> {
  const row = await store.newestOf(db, content);
  return row && (await approvalRecords(db, caller, [row], { inside: true }))[0];
}

/** Approvals of agents in the last days, with their rows. `teams` are those whose agents count. */
export const approvedLately = store.approvedLately;
export { approvalRecords } from './record.ts';
export { readsWords } from './policy.ts';

/** Says that the newest decision about exactly this content and target is a revoked approval. For those who may read the request. */
export async function describeRevocation(db: Reader, content: store.Content): Promise<string | undefined> {
  const row = await store.newest(db, content, 'rejected');
  if (row?.closed_reason !== 'revoked') return undefined;
  return `Its approval was revoked at ${row.decided_at} by ${row.decider ?? 'a removed user'}: ${row.reason ?? ''}`;
}

/** The versions whose current content is approved for a target. */
export const approvedVersions = store.approvedOf;

export type { CoveredNow, PlanWish } from './covers.ts';

/** Closes the pending requests of a removed asset. */
export { closePending } from './store.ts';
