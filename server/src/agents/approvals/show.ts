import type { AgentConfig } from '@gantry/project/agent-yaml.ts';
import type { ApprovalDetail } from '@gantry/contract/agents/approvals.ts';
import { authorize } from '../../governance/access/authorize.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Caller } from '../../governance/access/caller.ts';
import type { Reader } from '../../ground/database/database.ts';
import { costForecast } from '../../models/ledger/agent-cost.ts';
import { describeGuardrails } from '../../models/guardrails/describe.ts';
import { settings } from '../../people/principals/find.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import { compare, type Before } from '../../assets/registry/difference/compare.ts';
import { findVersionById, type AssetRecord } from '../../assets/registry/find.ts';
import { loadAgentConfig } from '../../assets/registry/versions/load-version-content.ts';
import { movesOf } from '../../assets/registry/prompts/labels.ts';
import { listTargets } from '../../assets/targets/find-targets.ts';
import { no_target } from './approval-for.ts';
import { canDecide } from './can-decide.ts';
import { notCovered, type PlanFor } from './covers.ts';
import { comments } from './comment-store.ts';
import { loadRequest, readBack } from './load-request.ts';
import { readsWords } from './policy.ts';
import * as store from './store.ts';

/** The version that a deploy on this target would replace. The folder deploy provides it. */
export type FindRunning = (
  db: Reader,
  asset_id: string,
  target: string,
) => Promise<({ version: string } & Before) | undefined>;

/** Why an agent can call a model past its guardrails and budget. The folder deploy provides it. */
export type WhyUnguarded = (
  db: Reader,
  agent: { agent_id: string; team: AssetRecord['team']; config: AgentConfig },
) => Promise<string | undefined>;

/** The request with all facts for a decision. */
export async function show(
  {
    db,
    findRunning,
    whyUnguarded,
    planFor,
  }: { db: Reader; findRunning: FindRunning; whyUnguarded: WhyUnguarded; planFor: PlanFor },
  caller: Caller,
  id: string,
): Promise<ApprovalDetail> {
  const user = signedIn(caller);
  const { row, asset } = await loadRequest(db, id, user);
  authorize(user, 'approval.read', asset);
  const compared = asset.asset_kind === 'agent' ? await findRunning(db, asset.id, row.target) : await beforeIt(db, row);
  const inside = readsWords(user, row, asset);
  const version = await findVersionById(db, row.version_id);
  const shown = await readBack(db, user, id);
  const is_current = version?.digest === row.digest;
  const all_comments = await comments(db, id);
  const planned = is_current ? await plannedNow(db, planFor, asset, row) : nothingPlanned;
  return {
    ...shown,
    is_current,
    target_address: await addressOf(db, row.target),
    target_changed: row.target_changed,
    covers: row.covers,
    ...planned,
    compared_with: compared === undefined ? null : `${asset.ref}@${compared.version}`,
    compared_approval: compared === undefined ? null : await approvalOf(db, row, compared.digest),
    changes: await compare(db, user, asset, { before: compared, after: row.digest }),
    cost: asset.asset_kind === 'agent' ? await costForecast(db, user, asset) : null,
    ...(await guarding(db, whyUnguarded, asset, version?.id)),
    comments: inside ? all_comments : [],
    can: await canDecide(db, { user, row, asset }, { shown, is_current, planned, comments: all_comments.length }),
    previous: previousRecord(await store.previous(db, row), inside),
  };
}

/** What agents read now under a label, of a prompt that has one; else the last approved content. */
async function beforeIt(db: Reader, row: store.ApprovalRow): Promise<({ version: string } & Before) | undefined> {
  const [moved] = await movesOf(db, { asset_id: row.asset_id, label: undefined, after: undefined, limit: 1 });
  return moved !== undefined && moved.digest !== row.digest ? moved : await store.lastApproved(db, row);
}

type Planned = Pick<ApprovalDetail, 'beyond' | 'target_plan' | 'target_refuses'>;
const nothingPlanned: Planned = { beyond: [], target_plan: null, target_refuses: [] };

async function plannedNow(db: Reader, planFor: PlanFor, asset: AssetRecord, row: store.ApprovalRow): Promise<Planned> {
  if (asset.asset_kind !== 'agent') return nothingPlanned;
  const { version_id, digest, target, covers } = row;
  try {
    const plan = await planFor(db, { config: await loadAgentConfig(db, version_id), digest, target });
    const beyond = notCovered(covers, plan?.covers ?? null);
    return { beyond, target_plan: plan ?? null, target_refuses: plan?.broken ?? [] };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { ...nothingPlanned, target_refuses: [error.detail] };
  }
}

async function addressOf(db: Reader, name: string): Promise<string | null> {
  const [target] = name === no_target ? [] : await listTargets(db, name);
  const address = target?.config['address'];
  return typeof address === 'string' ? address : null;
}

async function approvalOf(
  db: Reader,
  { asset_id, target }: store.ApprovalRow,
  digest: string,
): Promise<ApprovalDetail['compared_approval']> {
  const row = await store.approvalOfContent(db, { asset_id, target, digest });
  return row === undefined ? null : { id: row.id, decided_by: row.decider, decided_at: row.decided_at };
}

async function guarding(
  db: Reader,
  whyUnguarded: WhyUnguarded,
  { asset_kind, id: agent_id, team }: AssetRecord,
  version_id: string | undefined,
): Promise<Pick<ApprovalDetail, 'guardrails' | 'unguarded'>> {
  if (asset_kind !== 'agent' || version_id === undefined) return { guardrails: [], unguarded: null };
  const config = await loadAgentConfig(db, version_id);
  return {
    guardrails: describeGuardrails(await settings(db), { config, team: team.name }),
    unguarded: (await whyUnguarded(db, { agent_id, team, config })) ?? null,
  };
}

function previousRecord(row: store.ApprovalRow | undefined, inside: boolean): ApprovalDetail['previous'] {
  if (row === undefined) return null;
  const { id, status, closed_reason, digest, decided_at } = row;
  return {
    id,
    status,
    closed_reason,
    asset_version: row.version,
    digest,
    reason: inside ? row.reason : null,
    submitted_by: row.submitter,
    decided_by: row.decider,
    decided_at,
  };
}
