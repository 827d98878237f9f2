import type { Session } from '../session/session.ts';
import { defineCommand } from '../command.ts';
import { limitFlag, takePages } from '../pages.ts';
import type { Result } from '../result.ts';
import { link, state, table } from '../view/view.ts';

export const command = defineCommand({
  words: 'list',
  summary: 'The agents that you may read, each with its state, version and endpoint',
  needs: 'deployment.list',
  examples: ['svc list', 'svc list --json'],
  arguments: {},
  flags: { limit: limitFlag },
  run: async ({ limit }, session) => await listAgents(session, limit),
});

export async function listAgents(session: Session, limit: number | undefined): Promise<Result> {
  const agents = await takePages(session, limit, (query) => session.call('agents.statuses', { query }));
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
        'No agents yet. Create one: svc init greeter --framework langgraph',
      ),
    ],
  };
}
