import type { Deployment } from '@gantry/contract/agents/deploy.ts';
import { readProblem } from '@gantry/contract/problems.ts';
import { describeCost } from '../agent/describe-cost.ts';
import { receiptNumber } from '../audit/receipt-number.ts';
import { duration } from '../view/relative-time.ts';
import { bad, faint, fields, line, state, time, type View } from '../view/view.ts';

export function describeDeployment(deployment: Deployment): View {
  const problem = readProblem(deployment.problem);
  return [
    line({ text: deployment.ref, style: 'strong' }, '  ', state(deployment.state)),
    fields({
      Deploy: deployment.id,
      Digest: deployment.digest,
      Target: deployment.target,
      Containers: deployment.instances,
      By: deployment.actor,
      Started: time(deployment.created_at),
      Ended: deployment.ended_at === null ? null : time(deployment.ended_at),
      Approval: deployment.approval_id,
      Audit: receiptNumber(deployment.audit_seq),
      Cost: describeCost(deployment.cost),
      Endpoint: deployment.endpoint === null ? null : { text: deployment.endpoint, style: 'link' },
    }),
    ...deployment.steps.map((step) =>
      line(
        `  ${step.n} ${step.name.padEnd(10)}`,
        state(step.problem?.['code'] === 'cancelled' ? 'cancelled' : step.state),
        step.started_at !== null && step.ended_at !== null
          ? faint(`  ${duration(Date.parse(step.ended_at) - Date.parse(step.started_at))}`)
          : '',
      ),
    ),
    ...(problem === undefined
      ? []
      : [
          line(bad('✗ '), problem.detail),
          ...(problem.hint === undefined ? [] : [line(faint('hint: '), problem.hint)]),
        ]),
    ...leftovers(deployment),
    ...deployment.notices.map((notice) => line(faint('note  '), notice)),
  ];
}

/** A failed undo lists its remains. */
function leftovers({ problem }: Deployment): View {
  const list = problem?.['leftovers'];
  return Array.isArray(list)
    ? list.map((each) => line(bad('  left behind  '), typeof each === 'string' ? each : JSON.stringify(each)))
    : [];
}
