// The supervisor names the next calls, gets what came back, and gives the answer in the end. It answers with one JSON object. After an answer
// of another form it is asked once more.
import { Problem } from '@gantry/contract/problems.ts';
import { z } from 'zod';
import { outcomesOf, textOf, toldOf, type Call, type Story, type Strategy } from './strategy.ts';

const default_iterations = 3;
const most_calls_at_once = 8;
const most_shown_characters = 500;

const decision = z.union([
  z.strictObject({ answer: z.string() }),
  z.strictObject({
    calls: z
      .array(z.strictObject({ agent: z.string(), input: z.json() }))
      .min(1)
      .max(most_calls_at_once),
  }),
]);
type Decision = z.output<typeof decision>;

export const supervisor: Strategy = (story) => {
  const { supervisor_agent: name, max_iterations = default_iterations } = story.config.supervisor_config ?? {};
  if (name === undefined) throw new Error('a supervisor orchestration has no supervisor');
  const results: Result[] = [];
  for (let round = 1; round <= max_iterations; round++) {
    const next = decide(story, { name, round, results });
    if ('ask' in next) return { calls: [next.ask] };
    const { decision: decided } = next;
    if ('answer' in decided) {
      const hasFailed = results.some((result) => 'error' in result);
      return { answer: { text: decided.answer, state: hasFailed ? 'partial' : 'done' } };
    }
    const calls = decided.calls.map(({ agent, input }, n): Call => ({
      path: `${round}:${n + 1}:${agent}`,
      member: agent,
      input,
      may_fail: true,
    }));
    const outcomes = outcomesOf(story, calls);
    if (outcomes === undefined) return { calls };
    results.push(
      ...outcomes.map(({ call: { member: agent, input }, outcome }): Result => ({ agent, input, ...toldOf(outcome) })),
    );
  }
  throw new Problem('undecided', { detail: `The supervisor gave no answer in ${max_iterations} rounds.` });
};

interface Result {
  agent: string;
  input: unknown;
}

interface Round {
  name: string;
  round: number;
  results: readonly Result[];
}

function decide(story: Story, { name, round, results }: Round): { decision: Decision } | { ask: Call } {
  const workers = workersOf(story, name);
  const names = workers.map(({ agent }) => agent);
  const task = { task: story.input.value, workers, results, how_to_answer };
  const first: Call = { path: `${round}:${name}`, member: name, input: JSON.stringify(task) };
  const said = story.ended.get(first.path);
  if (said === undefined) return { ask: first };
  const read = readDecision(textOf(said), names);
  if ('decision' in read) return read;
  const repair = { ...task, your_last_answer: shown(textOf(said)), problem: read.fault };
  const second: Call = { path: `${round}:again:${name}`, member: name, input: JSON.stringify(repair) };
  const again = story.ended.get(second.path);
  if (again === undefined) return { ask: second };
  const last = readDecision(textOf(again), names);
  if ('decision' in last) return last;
  throw new Problem('undecided', {
    detail: `The supervisor did not decide. ${last.fault} It answered: ${shown(textOf(again))}`,
  });
}

const how_to_answer =
  'Answer with one JSON object and nothing else: {"calls": [{"agent": <name of a worker>, "input": <its input>}]} to call up to 8 workers at once, or {"answer": <text>} when the task is done.';

function workersOf({ config, members }: Story, supervisor_name: string) {
  return config.agents
    .filter(({ name }) => name !== supervisor_name)
    .map(({ name }) => ({
      agent: name,
      description: members.get(name)?.description ?? '',
      input_schema: members.get(name)?.input_schema ?? null,
    }));
}

/** One JSON object, bare or in one fence. */
function readDecision(text: string, workers: readonly string[]): { decision: Decision } | { fault: string } {
  const bare = /^\s*```(?:json)?\s*\n([\s\S]*?)\n\s*```\s*$/.exec(text)?.[1] ?? text;
  let value: unknown;
  try {
    value = JSON.parse(bare);
  } catch {
    return { fault: 'It is not one JSON object.' };
  }
  const read = decision.safeParse(value);
  if (!read.success) return { fault: 'It has neither the form {"calls": […]} nor {"answer": …}.' };
  const unknown = 'calls' in read.data ? read.data.calls.find(({ agent }) => !workers.includes(agent)) : undefined;
  if (unknown === undefined) return { decision: read.data };
  return { fault: `There is no worker ${JSON.stringify(unknown.agent.slice(0, 80))}.` };
}

const shown = (text: string) => text.trim().slice(0, most_shown_characters);
