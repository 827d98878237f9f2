// The newest version of an agent before it serves, and what it waits for, in words for the terminal and the console.
import { z } from 'zod';
import { approval } from './approvals.ts';
import { hasEnded, runStates } from './run-states.ts';
import { id } from '../wire.ts';

/** The most names of `can_deploy`. */
export const most_deployers = 20;

/** The newest version on its way to its callers. */
export const upcoming = z.object({
  version: z.string(),
  target: z.string(),
  request: approval
    .pick({
      id: true,
      status: true,
      closed_reason: true,
      reason: true,
      submitted_by: true,
      submitted_at: true,
      decided_by: true,
      decided_at: true,
      approvals_required: true,
      approved_by: true,
      can_decide: true,
    })
    .nullable()
    .describe('the newest request for exactly this content and target'),
  can_deploy: z
    .array(z.string())
    .describe(
      `members of its team who may deploy it once it is approved, or else platform admins; at most ${most_deployers}`,
    ),
  deployment: z
    .object({
      id,
      state: z.enum(runStates),
      actor: z.string(),
      created_at: z.string(),
      ended_at: z.string().nullable(),
    })
    .nullable()
    .describe('the last deploy of this content'),
});
export type Upcoming = z.output<typeof upcoming>;

/**
 * - `request`   nobody has asked for its approval, or the last request ended without a decision
 * - `decision`  an admin decides
 * - `change`    it was rejected, so its author pushes another version
 * - `deploy`    it is approved
 * - `end`       of the deploy under way
 * - `retry`   its last deploy failed
 */
export type Awaited = 'request' | 'decision' | 'change' | 'deploy' | 'end' | 'retry';

export function awaitedBy({ request, deployment }: Upcoming): Awaited {
  if (deployment !== null && !hasEnded(deployment.state)) return 'end';
  if (request?.status === 'pending') return 'decision';
  if (request?.closed_reason === 'rejected') return 'change';
  const hasFailed = deployment?.state === 'failed' || deployment?.state === 'needs_attention';
  if (hasFailed && (request?.decided_at ?? '') < (deployment?.created_at ?? '')) return 'retry';
  return request?.status === 'approved' ? 'deploy' : 'request';
}

/** For a reader with this e-mail address, who is `you`. */
export function describeUpcoming(upcoming: Upcoming, reader?: string | null): string {
  const { version, request, can_deploy, deployment } = upcoming;
  const named = (who: string | null | undefined, otherwise = 'somebody') =>
    who === reader ? 'you' : (who ?? otherwise);
  const can = (people: readonly string[], what: string) =>
    `${people.length === 0 ? 'nobody' : listOf(people.map((one) => named(one)))} can ${what}.`;
  switch (awaitedBy(upcoming)) {
    case 'request':
      return `${version} is pushed${endOf(request?.closed_reason)}. Its deploy needs an approval.`;
    case 'decision': {
      const count = (request?.approvals_required ?? 1) - (request?.approved_by.length ?? 0);
      const further = count > 1 ? `${count} approvals are needed: ` : '';
      return `${starting(named(request?.submitted_by))} asked for the approval of ${version}. ${starting(`${further}${can(request?.can_decide ?? [], 'decide')}`)}`;
    }
    case 'change':
      return `${starting(named(request?.decided_by, 'an admin'))} rejected ${version}${request?.reason ? `: ${request.reason}` : '.'}`;
    case 'deploy':
      return `${version} is approved by ${named(request?.decided_by, 'an admin')}. ${starting(can(can_deploy, 'deploy it'))}`;
    case 'end':
      return `${version} is being deployed by ${named(deployment?.actor)}.`;
    case 'retry':
      return `The deploy of ${version} by ${named(deployment?.actor)} failed.`;
  }
}

const ends = {
  withdrawn: ', and its request was withdrawn',
  superseded: ', and its request was replaced',
  expired: ', and its request expired',
  revoked: ', and its approval was revoked',
  rejected: '',
} as const;

const endOf = (closed: keyof typeof ends | null | undefined): string => (closed ? ends[closed] : '');

const most_named = 3;

function listOf(people: readonly string[]): string {
  const shown = people.slice(0, most_named);
  const others = people.length - shown.length;
  return others > 0 ? `${shown.join(', ')} and ${others} more` : shown.join(shown.length === 2 ? ' and ' : ', ');
}

/** An address stays as it is. */
const starting = (sentence: string): string =>
  /^[^ ]*@/.test(sentence) ? sentence : sentence.charAt(0).toUpperCase() + sentence.slice(1);
