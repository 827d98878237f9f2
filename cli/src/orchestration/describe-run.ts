import type { OrchestrationRun } from '@gantry/contract/agents/orchestrations.ts';
import { faint, line, prose, state, table, verbatim, type View } from '../view/view.ts';

/** The answer, and the calls of the members as a tree. */
export function describeRun({
  run_id,
  steps,
  output,
  notices,
  cost_usd,
  status,
  state: ended,
}: OrchestrationRun): View {
  return [
    ...(typeof output?.text === 'string' ? [verbatim(output.text)] : []),
    ...(output === null || output.text !== null ? [] : [verbatim(JSON.stringify(output.members, null, 2))]),
    table(
      ['call', 'state', 'member', 'time', 'tokens', 'cost', prose('answer')],
      steps.map((step) => [
        `${'  '.repeat(step.path.split(/[:/]/).length - 1)}${step.path}`,
        state(step.state),
        step.version === null ? (step.agent ?? '') : `${step.agent}@${step.version}`,
        durationOf(step),
        step.input_tokens + step.output_tokens,
        `$${step.cost_usd}`,
        firstLine(step.answer ?? step.problem?.['detail']),
      ]),
      'No member was called.',
    ),
    ...notices.map((notice) => line(faint(notice))),
    line(faint(`${status ?? ended}, $${cost_usd}, run ${run_id}`)),
  ];
}

const most_characters = 120;

function firstLine(said: unknown): string {
  if (typeof said !== 'string') return '';
  const [first = ''] = said.split('\n');
  return first.length > most_characters ? `${first.slice(0, most_characters)}…` : first;
}

function durationOf({ started_at, ended_at }: OrchestrationRun['steps'][number]): string {
  if (started_at === null) return '';
  const ms = (ended_at === null ? Date.now() : Date.parse(ended_at)) - Date.parse(started_at);
  return ms < 10_000 ? `${(ms / 1000).toFixed(2)} s` : `${Math.round(ms / 1000)} s`;
}
