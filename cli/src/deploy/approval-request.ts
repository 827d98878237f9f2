// The state of the request for an approval, for a refusal of the approval gate.
import type { Approval } from '@gantry/contract/agents/approvals.ts';
import { parseVersionRef, printRef } from '@gantry/contract/refs.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { printTargetFlag } from '../agent/target-flag.ts';
import { deployCommand, describeApproval } from '../review/describe-approval.ts';
import { nextForPending } from '../review/next-for-pending.ts';
import { exitCodes } from '../exit-codes.ts';
import { describeFailure } from '../failure.ts';
import { CliRefusal } from '../refusal.ts';
import type { Next } from '../result.ts';
import type { Session } from '../session/session.ts';
import { line, type View } from '../view/view.ts';

interface RequestedFor {
  ref: string;
  /** Undefined: the version's own. */
  target: string | undefined;
}

const gates = new Set(['approval_required', 'forbidden', 'rbac_failed']);

/** The same refusal with its request: how long it has waited, who can decide, or the command that submits one. */
export async function withRequest(session: Session, wish: RequestedFor, error: unknown): Promise<unknown> {
  if (!(error instanceof Problem) || !gates.has(error.code)) return error;
  const latest = await latestRequest(session, wish);
  const failure = describeFailure(latest?.status === 'pending' ? withoutAsking(error) : error);
  return new CliRefusal(error.code, error.detail, {
    view: [...describeRequest(latest, wish), ...(failure?.view ?? [])],
    exit: error.code === 'approval_required' ? exitCodes.waits : exitCodes.refused,
    next: await nextOf(session, latest, wish),
    person_must_act: error.code === 'approval_required' || latest?.status === 'pending',
    problem: { ...failure?.problem, request: latest ?? null },
  });
}

/** The service's hint ends with the submit command, which has already run. */
function withoutAsking({ code, detail, errors, fields, hint = '' }: Problem): Problem {
  return new Problem(code, {
    detail,
    errors,
    fields,
    hint: hint.replace(/\s*\b(?:Request the approval|(?:Or )?ask): svc submit.*$/, ''),
  });
}

/** The request for exactly this version, and for the target that was asked for; undefined when there is none. */
export async function latestRequest(session: Session, { ref, target }: RequestedFor): Promise<Approval | undefined> {
  const parsed = parseVersionRef(ref);
  if (parsed === undefined) return undefined;
  const { items } = await session.call('approvals.list', { query: { asset: printRef(parsed), limit: 50 } });
  return items
    .filter((one) => one.asset_version === parsed.version && one.target === (target ?? one.target))
    .toSorted((a, b) => b.submitted_at.localeCompare(a.submitted_at))[0];
}

function describeRequest(latest: Approval | undefined, { ref }: RequestedFor): View {
  return latest === undefined ? [line(`No request for the approval of ${ref} yet.`)] : describeApproval(latest);
}

async function nextOf(session: Session, latest: Approval | undefined, { ref, target }: RequestedFor): Promise<Next[]> {
  if (latest?.status === 'pending') return await nextForPending(session, latest);
  if (latest?.status === 'approved') return [{ command: deployCommand(latest), when: 'run by a deployer of the team' }];
  return [{ command: `svc submit --asset ${ref}${printTargetFlag(target)}`, when: 'to request the approval' }];
}
