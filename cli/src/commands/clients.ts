import { defineCommand } from '../command.ts';
import { prose, table, time } from '../view/view.ts';

export const command = defineCommand({
  words: 'clients',
  summary: 'The programs that act for you: what each may do, and where',
  needs: 'client.read',
  examples: ['svc clients', 'svc clients --json'],
  arguments: {},
  flags: {},
  async run(_input, session) {
    const clients = await session.call('clients.list', {});
    return {
      data: clients,
      view: [
        table(
          ['id', 'client', 'host', prose('address'), 'scopes', 'since', 'last used'],
          clients.map(({ id, client_name, host, resource, scopes, allowed_at, last_used_at }) => [
            id,
            client_name,
            host,
            resource,
            scopes.join(', '),
            time(allowed_at),
            time(last_used_at),
          ]),
          'No program acts for you. One signs in with the address of /mcp, /mcp/<server> or /agents/<name>/mcp.',
        ),
      ],
    };
  },
});
