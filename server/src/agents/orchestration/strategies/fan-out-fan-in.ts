import { outcomesOf, stateAfter, textOf, toldOf, workerCall, type Strategy } from './strategy.ts';

/** All workers get the caller's input at once. The merge agent gets the task and their answers. */
export const fanOutFanIn: Strategy = (story) => {
  const { config, input, ended } = story;
  const merge = config.supervisor_config?.merge_agent;
  if (merge === undefined) throw new Error('fan_out_fan_in has no merge agent');
  const calls = config.agents.filter(({ name }) => name !== merge).map(({ name }) => workerCall(name, input));
  const outcomes = outcomesOf(story, calls);
  if (outcomes === undefined) return { calls };
  const state = stateAfter(outcomes);
  const answers = Object.fromEntries(outcomes.map(({ call, outcome }) => [call.member, toldOf(outcome)]));
  const merged = ended.get(merge);
  if (merged === undefined)
    return { calls: [{ path: merge, member: merge, input: JSON.stringify({ task: input.value, answers }) }] };
  return { answer: { text: textOf(merged), state } };
};
