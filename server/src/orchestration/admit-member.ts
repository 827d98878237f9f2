// The decision about the call of a member, made anew for each: `use` of the end caller on the called orchestration, and of the orchestration
// that has the member on the member. The end caller needs no `use` on the member.
import type { OrchestrationMember } from '@gantry/contract/orchestration-yaml.ts';
import { formatUsd, parseUsd } from '@gantry/contract/money.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { parseVersionRef } from '@gantry/contract/refs.ts';
import { authorize, Refusal } from '../access/authorize.ts';
import { noRequest, type SignedInCaller } from '../access/caller.ts';
import type { CallingAsset } from '../access/decide.ts';
import { loadEndCaller } from '../invoke/end-caller.ts';
import { spentByRun } from '../ledger/spending.ts';
import { findAssetById, type AssetRecord } from '../registry/find.ts';
import type { Level } from './level.ts';
import type { OrchestrationRun } from './orchestration-run.ts';
import type { OrchestrationParts } from './parts.ts';

interface Deciding {
  member: OrchestrationMember;
  /** Loaded for the orchestration that calls it. Undefined when it was deleted. */
  asset: AssetRecord | undefined;
  /** Throws the refusal of a call by this asset. */
  require: (by: CallingAsset, asset: AssetRecord) => void;
}

/** Throws the refusal, `budget_exceeded` or `member_changed`. */
export async function admitMember(
  parts: OrchestrationParts,
  { run, level }: { run: OrchestrationRun; level: Level },
  { member, asset, require }: Deciding,
): Promise<{ user: SignedInCaller; asset: AssetRecord }> {
  const [{ user, asset: first }, inner] = await Promise.all([
    endCaller(parts, run),
    level.outer.length === 0 ? undefined : findSelf(parts, level),
    refuseOverBudget(parts, run.id, level),
  ]);
  const { id, ref, name, team } = inner ?? first;
  const by: CallingAsset = { kind: 'orchestration', id, ref, name, team };
  try {
    authorize(user, 'asset.invoke', first);
    if (asset === undefined)
      throw new Problem('member_changed', {
        detail: `${member.ref} of ${member.name} was deleted.`,
        hint: 'Push the orchestration again, so that it names the new one.',
      });
    require(by, asset);
  } catch (error) {
    if (error instanceof Refusal) await parts.recordRefusal(user, error);
    throw error;
  }
  return { user, asset };
}

/** The end caller and the orchestration that they have called, as they are now. */
async function endCaller({ ingress: { db } }: OrchestrationParts, { input, actor }: OrchestrationRun) {
  return await loadEndCaller(db, {
    caller_id: actor.user_id,
    account: `The account ${actor.name}`,
    first: { id: input.orchestration_id, ref: `orchestrations/${input.name}` },
    origin: { ...noRequest(), ...input.origin },
  });
}

async function findSelf({ ingress: { db } }: OrchestrationParts, { self }: Level): Promise<AssetRecord> {
  const asset = await findAssetById(db, self.id, null);
  if (asset === undefined) throw new Problem('not_found', { detail: `${self.ref} no longer exists.` });
  return asset;
}

async function refuseOverBudget({ ingress: { db } }: OrchestrationParts, run_id: string, { budgets }: Level) {
  if (budgets.length === 0) return;
  const spent = await spentByRun(db, run_id);
  for (const { ref, budget_usd, spent_before } of budgets) {
    if (spent - spent_before < parseUsd(budget_usd)) continue;
    throw new Problem('budget_exceeded', {
      detail: `The models of this run have cost ${formatUsd(spent - spent_before)} since ${ref} began, and its \`budget_usd\` is ${budget_usd}.`,
    });
  }
}

/** Throws `member_changed`. */
export function refuseOtherVersion({ name, ref }: OrchestrationMember, version: string): void {
  const wanted = parseVersionRef(ref)?.version ?? version;
  if (version === wanted) return;
  throw new Problem('member_changed', {
    detail: `${name} is ${ref}, and version ${version} serves now.`,
    hint: `Deploy ${ref}, or push the orchestration with another version of it.`,
  });
}
