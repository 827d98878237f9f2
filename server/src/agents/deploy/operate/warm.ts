// A warm revision: it was replaced a short time ago, and its containers still run. A rollback returns to it within a second. It ends at once
// when something that it has is revoked or changed, so that no container keeps it.
import { approvalFor } from '../../approvals/approval-for.ts';
import type { Reader } from '../../../ground/database/database.ts';
import * as store from '../store.ts';

export async function isReturnable(db: Reader, revision_id: string): Promise<boolean> {
  const revision = await store.revision(db, revision_id);
  if (revision === undefined || !(await store.isUnchanged(db, revision_id))) return false;
  const { approval_id, version_id, digest, target } = revision;
  // An admin deployed it without one. Then only an admin can return to it, and the rollback decides that.
  return approval_id === null || (await approvalFor(db, { version_id, digest, target }, 'what runs')) !== undefined;
}
