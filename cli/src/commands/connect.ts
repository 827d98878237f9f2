import { nameOf } from '../connections/describe-asks.ts';
import { defineCommand, toggle } from '../command.ts';
import { serverArgument } from '../mcp/describe-tools.ts';
import { readValue } from '../secret/read-value.ts';
import { good, line, link } from '../view/view.ts';

export const command = defineCommand({
  words: 'connect',
  summary:
    'Connect yourself to an MCP server that agents call in your name: by a sign-in in the browser, or with a key',
  needs: 'connection.change',
  examples: ['svc connect crm', 'svc connect crm --key < key'],
  arguments: { server: serverArgument },
  flags: { key: toggle('With an API key of yours, from a hidden prompt or from stdin') },
  async run({ server, key }, session) {
    const ask = await session.call('connections.ask', { params: { name: server } });
    const next = [{ command: 'svc connections', when: 'to see what may act in your name' }];
    if (!key)
      return {
        data: ask,
        view: [line('Sign in there as yourself. The link works for you alone, for an hour:'), line(link(ask.link))],
        next,
        person_must_act: true,
      };
    const value = await readValue(session, 'the key', `svc connect ${server} --key`);
    const connected = await session.call('connections.set_key', { params: { id: ask.id }, body: { key: value } });
    return {
      data: connected,
      view: [line(good('✓ '), `You are connected to ${connected.server} at ${connected.address}`)],
      next,
      undo: `svc connections remove ${nameOf(connected)}`,
    };
  },
});
