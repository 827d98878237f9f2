// The state of the request for an approval, for a refusal of the approval gate.
import type { Approval } from '@gantry/contract/approvals.ts';
import { parseVersionRef, printRef } from '@gantry/contract/refs.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { describeApproval, nextForPending } from '../review/describe-approval.ts';
import { exitCodes } from '../exit-codes.ts';
import { describeFailure } from '../failure.ts';
import { CliRefusal } from '../refusal.ts';
import type { Next } from '../result.ts';
import type { Session } from '../session/session.ts';
import { line, type View } from '../view/view.ts';

const gates = new Set(['approval_required', 'forbidden', 'rbac_failed']);

/** The same refusal with its request: how long it has waited, who can decide, or the command that submits one. */
export async function withRequest(session: Session, ref: string, error: unknown): Promise<unknown> {
  if (!(error instanceof Problem) || !gates.has(error.code)) return error;
  const latest = await latestRequest(session, ref);
  const failure = describeFailure(latest?.status === 'pending' ? withoutAsking(error) : error);
  return new CliRefusal(error.code, error.detail, {
    view: [...describeRequest(latest, ref), ...(failure?.view ?? [])],
    exit: error.code === 'approval_required' ? exitCodes.waits : exitCodes.refused,
    next: nextOf(latest, ref),
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
    hint: hint.replace(/\s*\b(?:Request the approval|ask): svc submit.*$/, ''),
  });
}

/** The request for exactly this version; undefined when there is none. */
export async function latestRequest(session: Session, ref: string): Promise<Approval | undefined> {
  const parsed = parseVersionRef(ref);
  if (parsed === undefined) return undefined;
  const { items } = await session.call('approvals.list', { query: { asset: printRef(parsed), limit: 50 } });
  return items
    .filter(({ asset_version }) => asset_version === parsed.version)
    .toSorted((a, b) => b.submitted_at.localeCompare(a.submitted_at))[0];
}

function describeRequest(latest: Approval | undefined, ref: string): View {
  return latest === undefined ? [line(`No request for the approval of ${ref} yet.`)] : describeApproval(latest);
}

function nextOf(latest: Approval | undefined, ref: string): Next[] {
  if (latest?.status === 'pending') return nextForPending(latest);
  if (latest?.status === 'approved') return [{ command: `svc deploy ${ref}`, when: 'run by a deployer of the team' }];
  return [{ command: `svc submit --asset ${ref}`, when: 'to request the approval' }];
}
