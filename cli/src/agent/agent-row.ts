import type { AgentStatus } from '@gantry/contract/agents/deploy.ts';
import { state, time, type Cell } from '../view/view.ts';

/** The columns of every table of agents. */
export const agent_columns = ['agent', 'state', 'version', 'team', 'deployed', 'calls 24h', 'errors'] as const;

export const no_agents = 'No agent is listed for you. Create one: svc init greeter --framework langgraph';

export function agentRow({ name, state: is, ref, team, deployed_at, last_24h }: AgentStatus): Cell[] {
  return [name, state(is), ref?.split('@')[1] ?? null, team, time(deployed_at), last_24h.calls, last_24h.errors];
}
