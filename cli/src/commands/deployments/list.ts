import { optionalAgent } from '../../agent/agent-name.ts';
import { defineCommand } from '../../command.ts';
import { limitFlag, takePages } from '../../pages.ts';
import { state, table, time } from '../../view/view.ts';

export const command = defineCommand({
  words: 'deployments list',
  summary: 'Deploys and other operations of the agents you may read, newest first',
  needs: 'deployment.list',
  examples: ['svc deployments list', 'svc deployments list greeter --limit 5'],
  arguments: { agent: optionalAgent('Only this agent') },
  flags: { limit: limitFlag },
  async run({ agent, limit }, session) {
    const deployments = await takePages(session, limit, (query) =>
      session.call('deployments.list', { query: { ...query, ...(agent === undefined ? {} : { agent }) } }),
    );
    return {
      data: deployments,
      view: [
        table(
          ['id', 'what', 'version', 'target', 'state', 'by', 'started'],
          deployments.map((each) => [
            each.id,
            each.operation,
            each.ref,
            each.target,
            state(each.state),
            each.actor,
            time(each.created_at),
          ]),
          'No deploys yet. Start one in a project: svc deploy',
        ),
      ],
    };
  },
});
