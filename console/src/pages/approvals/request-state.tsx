import type { Approval } from '@gantry/contract/agents/approvals.ts';
import { State, type Meaning } from '../../parts/figures/state.tsx';

const meanings: Record<Approval['status'] | NonNullable<Approval['closed_reason']>, Meaning> = {
  pending: 'waiting',
  approved: 'good',
  rejected: 'failed',
  withdrawn: 'stopped',
  superseded: 'stopped',
  expired: 'stopped',
  revoked: 'failed',
};

/** Who ended it; a withdrawal has no decider. */
export function endedBy({ closed_reason, decided_by, submitted_by }: Approval): string {
  return decided_by ?? (closed_reason === 'withdrawn' ? submitted_by : 'the service');
}

/** A closed request shows its reason, not only that it is closed. */
export function RequestState({ request }: { request: Pick<Approval, 'status' | 'closed_reason'> }) {
  const state = request.closed_reason ?? request.status;
  return <State meaning={meanings[state]}>{state}</State>;
}
