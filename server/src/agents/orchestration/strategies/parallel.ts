import { outcomesOf, stateAfter, workerCall, type Strategy } from './strategy.ts';

/** All members get the caller's input at once. */
export const parallel: Strategy = (story) => {
  const calls = story.config.agents.map(({ name }) => workerCall(name, story.input));
  const outcomes = outcomesOf(story, calls);
  return outcomes === undefined ? { calls } : { answer: { text: null, state: stateAfter(outcomes) } };
};
