import { agentFlag } from '../../agent/agent-name.ts';
import { defineCommand } from '../../command.ts';
import { serverArgument } from '../../mcp/describe-tools.ts';
import { good, line, warn } from '../../view/view.ts';

export const command = defineCommand({
  words: 'connections remove',
  summary: 'End your connection to an MCP server, at its authorization server too; or the consent for one agent',
  needs: 'connection.change',
  examples: ['svc connections remove crm', 'svc connections remove crm --agent keeper'],
  arguments: { server: serverArgument },
  flags: { agent: agentFlag('Only what this agent may do; your connection stays') },
  async run({ server, agent }, session) {
    const query = agent === undefined ? {} : { asset: `agents/${agent}` };
    const removed = await session.call('connections.remove', { params: { name: server }, query });
    if (agent !== undefined)
      return { data: removed, view: [line(good('✓ '), `${agent} no longer acts in your name at ${server}`)] };
    return {
      data: removed,
      view: [
        line(good('✓ '), `Nothing acts in your name at ${server} any more`),
        ...(removed.is_revoked
          ? []
          : [
              line(
                warn('! '),
                `${server} has not revoked it: a key, or a token until its end, works where somebody has it`,
              ),
            ]),
      ],
      next: [{ command: `svc connect ${server}`, when: 'to connect again' }],
    };
  },
});
