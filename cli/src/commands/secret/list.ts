import { agentFlag } from '../../agent/agent-name.ts';
import { defineCommand } from '../../command.ts';
import { limitFlag, takePages } from '../../pages.ts';
import { describeScope } from '../../secret/find-secret.ts';
import { prose, table, time } from '../../view/view.ts';

export const command = defineCommand({
  words: 'secret list',
  summary: 'The secrets of your teams and agents: names, times and users, never values',
  needs: 'secret.list',
  examples: ['svc secret list', 'svc secret list --agent greeter --json'],
  arguments: {},
  flags: { agent: agentFlag('Only those of this agent'), limit: limitFlag },
  async run({ agent, limit }, session) {
    const { team } = session.globals;
    const scope = { ...(agent === undefined ? {} : { agent }), ...(team === undefined ? {} : { team }) };
    const secrets = await takePages(session, limit, (query) =>
      session.call('secrets.list', { query: { ...scope, ...query } }),
    );
    return {
      data: secrets,
      view: [
        table(
          ['secret', 'of', prose('used by'), 'set', 'by'],
          secrets.map((secret) => [
            secret.name,
            describeScope(secret),
            secret.used_by.join(', '),
            time(secret.changed_at),
            secret.changed_by,
          ]),
          'No secrets yet. Set one: svc secret set CRM_TOKEN --agent greeter',
        ),
      ],
    };
  },
});
