import type { DeploySubject } from '../../../governance/access/subject.ts';
import { approvalFor, no_target } from '../../approvals/approval-for.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { settings } from '../../../people/principals/find.ts';
import type { AssetRecord, VersionRow } from '../../../assets/registry/find.ts';

/** The subject of a deploy of an orchestration, for the decision. It has no target and no secrets of its own. */
export async function subjectWithoutContainer(
  db: Reader,
  asset: AssetRecord,
  { id, digest }: VersionRow,
): Promise<DeploySubject> {
  const [approval, organisation] = await Promise.all([
    approvalFor(db, { version_id: id, digest, target: no_target }, null),
    settings(db),
  ]);
  const gate = {
    target: undefined,
    approval_id: approval?.id,
    version_requires_approval: false,
    admins_require_approval: organisation.require_approval_for_admins,
    new_team_secrets: [],
    beyond_approval: [],
  };
  return { ...asset, gate };
}
