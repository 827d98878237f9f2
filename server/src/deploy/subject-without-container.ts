import type { DeploySubject } from '../access/subject.ts';
import { approvalFor, no_target } from '../approvals/approval-for.ts';
import type { Reader } from '../database/database.ts';
import { settings } from '../principals/find.ts';
import type { AssetRecord, VersionRow } from '../registry/find.ts';

/** Of the decision on a deploy of an orchestration: it has no target and no secrets of its own. */
export async function subjectWithoutContainer(
  db: Reader,
  asset: AssetRecord,
  { id, digest }: VersionRow,
): Promise<DeploySubject> {
  const [approval, organisation] = await Promise.all([
    approvalFor(db, { version_id: id, digest, target: no_target }),
    settings(db),
  ]);
  const gate = {
    target: undefined,
    approval_id: approval?.id,
    version_requires_approval: false,
    admins_require_approval: organisation.require_approval_for_admins,
    new_team_secrets: [],
  };
  return { ...asset, gate };
}
