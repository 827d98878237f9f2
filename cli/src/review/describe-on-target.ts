import type { ApprovalDetail } from '@gantry/contract/agents/approvals.ts';
import { describeForm, describeTargetPlan } from '../deploy/describe-target-plan.ts';
import { bad, line, warn, type View } from '../view/view.ts';

/** What a deploy would send now, what its target says against it, and what the request does not cover. */
export function describeOnTarget({ target_plan, target_refuses, covers, beyond, status }: ApprovalDetail): View {
  return [
    ...(target_plan === null && covers !== null ? describeForm(covers) : describeTargetPlan(target_plan)),
    ...target_refuses.map((sentence) => line(bad('✗ '), sentence)),
    ...(target_plan?.notes ?? []).map((sentence) => line(warn('· '), sentence)),
    ...(beyond.length === 0 || status === 'rejected'
      ? []
      : [
          line(
            warn(`A deploy now gets more than this request covers: ${beyond.join(', ')}. Its author submits it again.`),
          ),
        ]),
  ];
}
