import type { KnowledgeRefresh } from '@gantry/contract/agents/knowledge.ts';
import type { KnowledgeUpkeep } from '@gantry/contract/agents/knowledge-hooks.ts';
import { bad, fields, line, time, type Block } from '../view/view.ts';

export function describeUpkeep({ refresh_hours, next_at, last, hook }: KnowledgeUpkeep): Block[] {
  return [
    fields({
      Schedule: refresh_hours === null ? 'none' : `${refresh_hours} hours after the last refresh`,
      Next: next_at === null ? undefined : time(next_at),
      Hook: hook === null ? 'none' : hook.address,
      'Made by': hook === null ? undefined : [hook.created_by, '  ', time(hook.created_at)],
      'Last refresh': last === null ? 'none' : [`${last.state}, by ${startedBy(last)}  `, time(last.created_at)],
    }),
    ...failureOf(last),
  ];
}

/** Of a refresh that failed: nobody waited for it, so its reason is shown with what serves. */
export function failureOf(last: KnowledgeRefresh | null): Block[] {
  if (last?.state !== 'failed') return [];
  const { detail, title } = last.problem ?? {};
  return [line(bad(`The last refresh, by ${startedBy(last)}, failed: ${String(detail ?? title)}`))];
}

const startedBy = ({ started, by }: KnowledgeRefresh) => (started === 'person' ? by : `the ${started}, as ${by}`);
