import { nearest } from '@gantry/contract/nearest.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Session } from './session.ts';

/** Does what needs the agent; where there is no such agent, the refusal names the one that was probably meant. */
export async function suggestAgent<Value>(session: Session, name: string, act: () => Promise<Value>): Promise<Value> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'not_found') throw error;
    const { items } = await session.call('agents.statuses', { query: { limit: 200 } });
    const meant = nearest(
      name,
      items.map((agent) => agent.name).filter((each) => each !== name),
    );
    throw new Problem('not_found', {
      detail: `There is no agent "${name}" that you may read`,
      hint: meant === undefined ? 'Run `svc status` to see those you may.' : `Did you mean ${meant}?`,
      fields: error.fields,
    });
  }
}
