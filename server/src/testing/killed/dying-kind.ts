import type { Run, RunKind } from '../../ground/runs/run.ts';
import { cutOff } from '../agents/deploy-stage.ts';

/**
 * A kind whose worker dies between the work of the step and its record: the rest never happens. Stopping the worker then releases the run,
 * as the lost lease of a killed worker does. `reached` resolves at that moment.
 */
export function dyingAt<Input>(kind: RunKind<Input>, trap: string): { kind: RunKind<Input>; reached: Promise<void> } {
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  const work: RunKind<Input>['work'] = async (run) => {
    const dying: Run<Input> = {
      ...run,
      step: (name, act, undo) =>
        run.step(
          name,
          async (at) => {
            const output = await act(at);
            if (name !== trap) return output;
            reach();
            return await cutOff(at.signal);
          },
          undo,
        ),
    };
    await kind.work(dying);
  };
  return { kind: { ...kind, work }, reached };
}
