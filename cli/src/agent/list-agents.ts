import { agentStates, type AgentStatus } from '@gantry/contract/agents/deploy.ts';
import { choice, text } from '../command.ts';
import { limitFlag, takePages } from '../pages.ts';
import type { Result } from '../result.ts';
import type { Session } from '../session/session.ts';
import { link, state, table } from '../view/view.ts';
import { no_agents } from './agent-row.ts';

export const listFlags = {
  state: choice('Only in this state', agentStates),
  text: text('Only with words that begin with these, in the name, description, tags, team or framework', 'words'),
  limit: limitFlag,
};

interface Filter {
  state: AgentStatus['state'] | undefined;
  text: string | undefined;
  limit: number | undefined;
}

export async function listAgents({ limit, state: is, text: words }: Filter, session: Session): Promise<Result> {
  const { team } = session.globals;
  const filter = {
    ...(is === undefined ? {} : { state: is }),
    ...(words === undefined ? {} : { text: words }),
    ...(team === undefined ? {} : { team }),
  };
  const agents = await takePages(session, limit, (query) =>
    session.call('agents.statuses', { query: { ...query, ...filter } }),
  );
  return {
    data: agents,
    view: [
      table(
        ['agent', 'state', 'version', 'team', 'endpoint'],
        agents.map(({ name, state: agentState, ref, team, endpoint }) => [
          name,
          state(agentState),
          ref?.split('@')[1] ?? null,
          team,
          endpoint === null ? null : link(endpoint),
        ]),
        Object.keys(filter).length === 0 ? no_agents : 'No agent that you may read fits. All of them: svc list',
      ),
    ],
  };
}
