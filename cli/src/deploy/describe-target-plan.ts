// What a deploy sends to its target, in the plan and in a request. The bodies are in --json.
import type { Covered, MonthlyCost, TargetPlan } from '@gantry/contract/agents/target-plan.ts';
import { faint, line, type View } from '../view/view.ts';

/** Nothing for `local` and engines. */
export function describeTargetPlan(plan: TargetPlan | null): View {
  if (plan === null) return [];
  const { requests, covers, cost } = plan;
  return [
    ...requests.map(({ action, resource: { kind, name } }) =>
      line('  ', faint('sends  '), `${action} ${kind} ${name}`),
    ),
    ...describeForm(covers),
    ...(cost === undefined ? [] : [line('  ', faint('month  '), describeMonth(cost))]),
  ];
}

/** What an approval covers. */
export function describeForm({ size: { cpu, memory }, permissions, reach, secrets }: Covered): View {
  const all = (words: readonly string[]) => (words.length === 0 ? 'none' : words.join(', '));
  const rows = [
    ['size', `${cpu} of processors, ${memory} of memory, for each replica`],
    ['permissions', all(permissions)],
    ['reach', all(reach)],
    ['secrets', all(secrets)],
  ];
  return rows.map(([label, words = '']) => line('  ', faint(`${label}  `), words));
}

function describeMonth({ currency, idle, max, as_of, source }: MonthlyCost): string {
  return `${idle} ${currency} idle, ${max} ${currency} with all replicas; list prices of ${as_of} (${source})`;
}
