import { afterAsks, describeAsks } from '../connections/describe-asks.ts';
import { defineCommand } from '../command.ts';
import { bad, faint, prose, table, time } from '../view/view.ts';

export const command = defineCommand({
  words: 'connections',
  summary: 'What may act in your name at MCP servers, and what asks for it',
  needs: 'connection.read',
  examples: ['svc connections', 'svc connections --json'],
  arguments: {},
  flags: {},
  async run(_input, session) {
    const shown = await session.call('connections.show', {});
    const { connections, asks } = shown;
    return {
      data: shown,
      view: [
        table(
          ['server', 'by', prose('agents'), 'last used', 'expires'],
          connections.map(({ server, issuer, is_void, agents, last_used_at, expires_at, is_refreshed }) => [
            server.replace('mcp-servers/', ''),
            is_void ? bad('connect again') : (issuer ?? 'key'),
            agents
              .map(({ asset, calls }) => `${asset.replace('agents/', '')}${calls ? '' : ' (through another)'}`)
              .join(', '),
            time(last_used_at),
            is_refreshed ? faint('renewed') : time(expires_at),
          ]),
          'You are not connected to an MCP server.',
        ),
        ...describeAsks(asks),
      ],
      next: afterAsks(asks),
    };
  },
});
