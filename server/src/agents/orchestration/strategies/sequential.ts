import { firstCall, textOf, type Strategy } from './strategy.ts';

/** Each member gets the text of the one before. */
export const sequential: Strategy = ({ config, input, ended }) => {
  let text: string | null = null;
  for (const { name } of config.agents) {
    const outcome = ended.get(name);
    if (outcome === undefined)
      return { calls: [text === null ? firstCall(name, input) : { path: name, member: name, input: text }] };
    text = textOf(outcome);
  }
  return { answer: { text, state: 'done' } };
};
