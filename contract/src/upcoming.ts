// What the newest version of an agent waits for before it serves, in words for the terminal and the console.
import type { Upcoming } from './deploy.ts';
import { hasEnded } from './run-states.ts';

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
