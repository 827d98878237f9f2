import type { Deployment } from '@gantry/contract/agents/deploy.ts';
import type { Session } from '../session/session.ts';
import { suggestAgent } from './agent-name.ts';

/** Begins an operation of the agent, and watches it to its end. */
export async function operateAgent(
  session: Session,
  name: string,
  begin: () => Promise<Deployment>,
): Promise<Deployment> {
  const begun = await suggestAgent(session, name, begin);
  const { watchOperation } = await import('../deploy/watch-operation.ts');
  return await watchOperation(session, begun);
}
