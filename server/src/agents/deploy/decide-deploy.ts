// The decision about a deploy, from the current state. It covers role, team, ACL, the approval of exactly this digest and target, and the
// organisation's settings. A run decides at its start, before it provisions, and in the transaction that moves the traffic.
import type { AgentConfig } from '@gantry/project/agent-yaml.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize, Refusal, type Grant } from '../../governance/access/authorize.ts';
import type { SignedInCaller } from '../../governance/access/caller.ts';
import type { AssetSubject, DeploySubject } from '../../governance/access/subject.ts';
import { approvalFor, beyondApproval, type CoveredNow } from '../approvals/approval-for.ts';
import type { Reader } from '../../ground/database/database.ts';
import { settings } from '../../people/principals/find.ts';
import { loadIdentity } from '../../people/service-principals/load-caller.ts';
import { findAgent, findAsset, type AssetRecord } from '../../assets/registry/find.ts';
import { loadAgentConfig } from '../../assets/registry/versions/load-version-content.ts';
import type { Run } from '../../ground/runs/run.ts';
import { teamSecrets } from '../../assets/secrets/delivery.ts';
import type { DeployInput } from './deploy-run.ts';
import type { DeployParts } from './parts.ts';
import { planFor } from './plan-for.ts';
import * as store from './store.ts';

export interface Decided {
  grant: Grant<'agent.deploy'>;
  caller: SignedInCaller;
  approval_id: string | null;
}

export async function decideDeploy(
  parts: Pick<DeployParts, 'db' | 'targets' | 'recordRefusal'>,
  run: Run<DeployInput>,
): Promise<Decided> {
  const { db } = parts;
  const { input, actor } = run;
  const caller = await loadIdentity(db, actor.user_id, { ...input.origin, receipts: [] });
  if (caller === undefined)
    throw new Problem('forbidden', { detail: `The account ${actor.name} is no longer active.` });
  const asset = await findAgent(db, input.agent, caller);
  if (asset?.id !== input.agent_id)
    throw new Problem('not_found', { detail: `agents/${input.agent} no longer exists.` });
  const config = await loadAgentConfig(db, input.version_id);
  const subject = await deploySubject(parts, asset, { ...input, config });
  try {
    await authorizeTarget(db, caller, input.target);
    const grant = authorize(caller, 'agent.deploy', subject);
    return { grant, caller, approval_id: subject.gate.approval_id ?? null };
  } catch (error) {
    if (error instanceof Refusal) await parts.recordRefusal(caller, error);
    throw error;
  }
}

/** `deploy` on the target too. `local` is no asset: whoever may deploy the agent may deploy it there. */
export async function authorizeTarget(db: Reader, caller: SignedInCaller, name: string): Promise<void> {
  const target = await findAsset(db, 'target', name, caller);
  if (target !== undefined) authorize(caller, 'target.deploy_to', target);
}

export interface Deployable {
  version_id: string;
  digest: string;
  target: string;
  config: AgentConfig;
}

/**
 * The asset with the approval state of this version, as its target would run it now. Throws `rbac_failed` when agent.yaml names another team, and
 * `target_refuses`.
 */
export async function deploySubject(
  { db, targets }: Pick<DeployParts, 'db' | 'targets'>,
  asset: AssetRecord,
  what: Deployable,
): Promise<DeploySubject> {
  requireSameTeam(asset, what);
  return await subjectNow(db, asset, what, (await planFor(targets)(db, what))?.covers ?? null);
}

/** The subject of content with its approval, for the question who may deploy it. No other part of the gate counts then. */
export function approvedSubject<Asset extends AssetSubject>(asset: Asset, target: string): Asset & DeploySubject {
  const approved = { target, approval_id: 'an approval', version_requires_approval: false };
  return { ...asset, gate: { ...approved, admins_require_approval: false, new_team_secrets: [], beyond_approval: [] } };
}

// After a transfer, an agent is pushed again before its next deploy. Its running version continues, and its new team operates it.
function requireSameTeam(asset: AssetRecord, what: Deployable): void {
  if (what.config.team !== asset.team.name) {
    throw new Problem('rbac_failed', {
      detail: `RBAC check failed: agent.yaml names team:${what.config.team}, and ${asset.ref} belongs to team:${asset.team.name}.`,
    });
  }
}

/** As gatedSubject, for a version in its deploy. Throws `rbac_failed` as deploySubject does. */
export async function deployedSubject(db: Reader, asset: AssetRecord, what: Deployable): Promise<DeploySubject> {
  requireSameTeam(asset, what);
  return await gatedSubject(db, asset, what);
}

/** The same for a deployed version, which has what was approved. Without the check of the team in its file. */
export async function gatedSubject(db: Reader, asset: AssetRecord, what: Deployable): Promise<DeploySubject> {
  return await subjectNow(db, asset, what, 'what runs');
}

async function subjectNow(db: Reader, asset: AssetRecord, what: Deployable, now: CoveredNow): Promise<DeploySubject> {
  const { version_id, digest, target } = what;
  const [approval, organisation] = await Promise.all([
    approvalFor(db, { version_id, digest, target }, now),
    settings(db),
  ]);
  const new_team_secrets = await newTeamSecrets(db, asset, what);
  const gate = {
    target,
    approval_id: approval?.id,
    version_requires_approval: what.config.access?.require_approval === true,
    admins_require_approval: organisation.require_approval_for_admins,
    new_team_secrets,
    beyond_approval: await beyondApproval(db, { version_id, digest, target }, now),
  };
  return { ...asset, gate };
}

/** The secrets of the team that the deployed content does not name. Content from before a transfer names none of them. */
async function newTeamSecrets(db: Reader, asset: AssetRecord, { config, target }: Deployable): Promise<string[]> {
  const named = await teamSecrets(db, { agent_id: asset.id, config });
  const serving = named.length === 0 ? undefined : await store.route(db, asset.id, target);
  if (serving === undefined) return named;
  const before = await loadAgentConfig(db, serving.version_id);
  const known = before.team === asset.team.name ? (before.deploy?.secrets ?? []) : [];
  return named.filter((name) => !known.includes(name));
}
