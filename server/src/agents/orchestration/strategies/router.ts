// The first route in the order of the file whose condition fits gets the call. The routes of all members are one list. A classifier decides instead where one is named.
import type { Condition } from '@gantry/project/orchestration-yaml.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { RE2JS } from 're2js';
import { firstCall, textOf, type Input, type Strategy } from './strategy.ts';
import { atPointer } from '../members/at-pointer.ts';

interface Route {
  condition: Condition;
  target: string;
}

export const router: Strategy = ({ config, input, ended }) => {
  const routes = config.agents.flatMap((member) => member.routes ?? []);
  const { classifier } = config.supervisor_config ?? {};
  const asked = classifier === undefined ? undefined : `classify:${classifier}`;
  const said = asked === undefined ? undefined : ended.get(asked);
  if (classifier !== undefined && asked !== undefined && said === undefined)
    return { calls: [{ path: asked, member: classifier, input: input.value, is_callers: true }] };
  const target = said === undefined ? routeOf(routes, input) : namedBy(routes, textOf(said));
  const outcome = ended.get(target);
  if (outcome === undefined) return { calls: [firstCall(target, input)] };
  return { answer: { text: textOf(outcome), state: 'done' } };
};

function routeOf(routes: readonly Route[], input: Input): string {
  const found =
    routes.find(({ condition }) => condition !== 'default' && fits(condition, input)) ??
    routes.find(({ condition }) => condition === 'default');
  if (found !== undefined) return found.target;
  throw new Problem('no_route', { detail: 'No condition of the router fits this input, and it has no default.' });
}

function fits(condition: Exclude<Condition, 'default'>, { value, text }: Input): boolean {
  if (typeof condition === 'string') return contains(text, condition);
  if ('contains' in condition) return contains(text, condition.contains);
  if ('regex' in condition) return RE2JS.compile(condition.regex).matcher(text).find();
  return JSON.stringify(atPointer(value, condition.at)) === JSON.stringify(condition.equals);
}

function contains(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase());
}

const most_shown_characters = 500;

/** A classifier answers with a condition or with a target. */
function namedBy(routes: readonly Route[], said: string): string {
  const word = said.trim();
  const found = routes.find(({ condition, target }) => condition === word || target === word);
  if (found !== undefined) return found.target;
  throw new Problem('undecided', {
    detail: `The classifier named no route. It answered: ${word.slice(0, most_shown_characters)}`,
  });
}
