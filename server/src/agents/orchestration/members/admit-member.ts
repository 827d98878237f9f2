// The decision about the call of a member, and the budgets of the orchestrations around it.
import type { OrchestrationMember } from '@gantry/project/orchestration-yaml.ts';
import { isOrchestration } from '@gantry/project/orchestration-yaml.ts';
import { formatUsd, parseUsd } from '@gantry/contract/formats/money.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { parseVersionRef } from '@gantry/contract/refs.ts';
import { Refusal } from '../../../governance/access/authorize.ts';
import { noRequest } from '../../../governance/access/caller.ts';
import {
  admitDelegated,
  type Delegated,
  type FindCalled,
  type Pin,
  type Served,
} from '../../delegated-calls/admit-delegated.ts';
import { delegationOfOrchestration, type Delegation } from '../../delegated-calls/delegation.ts';
import { spentByRun } from '../../../models/ledger/spending.ts';
import type { Level } from '../level.ts';
import { memberRef } from './member-ref.ts';
import type { OrchestrationRun } from '../runs/orchestration-run.ts';
import type { OrchestrationParts } from '../parts.ts';

interface MemberOf {
  run: OrchestrationRun;
  level: Level;
  member: OrchestrationMember;
}

/** Throws the refusal, `budget_exceeded`, `member_changed`, `not_deployed`, `call_loop` or `too_many_calls`. */
export async function admitMember<S extends Served>(
  parts: OrchestrationParts,
  { run, level, member }: MemberOf,
  find: FindCalled<S>,
): Promise<Delegated<S>> {
  const [delegation] = await Promise.all([delegationOf(parts, run, level), refuseOverBudget(parts, run.id, level)]);
  try {
    return await admitDelegated(delegation, pinOf(level, member), find);
  } catch (error) {
    const { user } = delegation;
    // No request carries it, so nobody else records it.
    if (error instanceof Refusal && user.kind !== 'agent') await parts.recordRefusal(user, error);
    throw error;
  }
}

async function delegationOf(
  { ingress: { db } }: OrchestrationParts,
  { id, input, actor }: OrchestrationRun,
  { self, outer }: Level,
): Promise<Delegation> {
  return await delegationOfOrchestration(db, {
    self,
    outer,
    run_id: id,
    caller_id: actor.user_id,
    account: `The account ${actor.name}`,
    origin: { ...noRequest(), ...input.origin },
  });
}

function pinOf({ asset_ids }: Level, member: OrchestrationMember): Pin {
  const { ref, name } = member;
  const kind = isOrchestration(member) ? 'orchestration' : 'agent';
  return { kind, ref, name, asset_id: asset_ids.get(memberRef(member)), version: parseVersionRef(ref)?.version };
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
