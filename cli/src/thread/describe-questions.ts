// What an agent asks a person, for people.
import { actionsIn, either } from '@gantry/contract/agents/asked-actions.ts';
import type { Interrupt } from '@gantry/contract/agents/threads.ts';

/** A line for each action that it wants to take, with what it takes as a decision. Undefined for questions of another shape. */
export function actionLines(interrupts: readonly Interrupt[]): string[] | undefined {
  const asked = interrupts.map((one) => actionsIn(one));
  if (asked.length === 0 || !asked.every((one) => one !== undefined)) return undefined;
  return asked
    .flatMap(({ actions }) => actions)
    .map(({ name, args, description, allowed }) =>
      [`${name} ${JSON.stringify(args)}`, description.replaceAll(/\s+/g, ' '), either(allowed)]
        .filter((words) => words !== '')
        .join(' · '),
    );
}
