import type { ApprovalDetail } from '@gantry/contract/agents/approvals.ts';
import { useMe } from '../../me.ts';

/** The reader's approval counts already. A second one would change nothing. */
export function useHasApproved({ approved_by, can_decide }: ApprovalDetail): boolean {
  const email = useMe()?.email ?? '';
  return approved_by.some(({ by }) => by === email) && !can_decide.includes(email);
}
