import type { Plan } from '@gantry/contract/agents/deploy-plan.ts';
import { describeForecast } from '../agent/describe-cost.ts';
import { describeChanges } from '../review/describe-changes.ts';
import { describeTargetPlan } from './describe-target-plan.ts';
import { bad, faint, good, line, type Text, type View, warn } from '../view/view.ts';

/** Every check's result, then the cost so far and the changes. */
export function describePlan(plan: Plan): View {
  const cost = describeForecast(plan.cost);
  return [
    line(
      { text: plan.ref, style: 'strong' },
      `  to ${plan.target}  `,
      plan.deployable ? good('can be deployed') : bad('cannot be deployed'),
    ),
    ...plan.verdicts.map(({ check, verdict, detail }) =>
      line('  ', verdictSign(verdict), check, detail === '' ? '' : faint(`  ${detail}`)),
    ),
    ...(cost === undefined ? [] : [line('  ', faint('cost  '), cost)]),
    ...describeTargetPlan(plan.target_plan),
    ...describeChanges({ changes: plan.changes, before: plan.running, after: plan.ref }),
  ];
}

function verdictSign(verdict: Plan['verdicts'][number]['verdict']): Text {
  return { pass: good('✓ '), fail: bad('✗ '), notice: warn('· ') }[verdict];
}
