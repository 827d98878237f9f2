// What an approval covers of a deploy: the normal form of the plan of its target, as it was at the request. The form changes with a setting of the
// organisation and with a release of this service, although content and target stay. The approval holds while nothing of it is wider.
import { createHash } from 'node:crypto';
import type { AgentConfig } from '@gantry/project/agent-yaml.ts';
import type { Covered, TargetPlan } from '@gantry/contract/agents/target-plan.ts';
import { canonicalJson } from '../../governance/audit/canonical-json.ts';
import type { Reader } from '../../ground/database/database.ts';
import { findVersionById, type AssetRecord } from '../../assets/registry/find.ts';
import { loadAgentConfig } from '../../assets/registry/versions/load-version-content.ts';

export interface PlanWish {
  config: AgentConfig;
  digest: string;
  target: string;
}

/** What a deploy would send now. Undefined for a target without a plan. Throws `target_refuses`. The folder deploy provides it. */
export type PlanFor = (db: Reader, wish: PlanWish) => Promise<TargetPlan | undefined>;

/** The form of today. Null: its target has none. `what runs`: the question is about containers that have the approved form. */
export type CoveredNow = Covered | null | 'what runs';

/**
 * What a deploy would get beyond its approval, by name. Other kinds of resources and another size are no more rights: content and target are the same, so
 * only a release of this service changes them.
 */
function widerThan(approved: Covered, now: Covered): string[] {
  const reaches = (one: string) => approved.reach.includes(one) || approved.reach.includes(everything(one));
  return [
    ...now.permissions.filter((one) => !approved.permissions.includes(one)),
    ...now.reach.filter((one) => !reaches(one)),
    ...now.secrets.filter((name) => !approved.secrets.includes(name)).map((name) => `the secret ${name}`),
  ];
}

/** `out: *` for `out: api.example.com:443` */
const everything = (reach: string) => `${reach.slice(0, reach.indexOf(':'))}: *`;

/** Why an approval with this form covers a deploy no longer. Empty: it does. An approval from before there were forms has none, and stays valid. */
export function notCovered(approved: Covered | null, now: CoveredNow): string[] {
  if (approved === null || now === 'what runs') return [];
  return now === null ? ['what its target does not say'] : widerThan(approved, now);
}

export function digestOfForm(form: Covered | null): string | null {
  return form && `sha256:${createHash('sha256').update(canonicalJson(form)).digest('hex')}`;
}

/** Of the content of an agent. Null for other kinds, which have no target. */
export async function coveredNow(
  db: Reader,
  planFor: PlanFor,
  asset: AssetRecord,
  { version_id, digest, target }: { version_id: string; digest: string; target: string },
): Promise<Covered | null> {
  // A draft with new content has no form for the old one, and nobody approves it.
  if (asset.asset_kind !== 'agent' || (await findVersionById(db, version_id))?.digest !== digest) return null;
  const plan = await planFor(db, { config: await loadAgentConfig(db, version_id), digest, target });
  return plan?.covers ?? null;
}
