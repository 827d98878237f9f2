import { defineCommand } from '../../command.ts';
import { isUnpinned, serverArgument, toolsView, versionFlag } from '../../mcp/describe-tools.ts';

export const command = defineCommand({
  words: 'mcp look',
  summary: 'Ask an MCP server now for its tools, and compare them with the pinned ones',
  needs: 'tools.pin',
  examples: ['svc mcp look weather', 'svc mcp look weather --json'],
  arguments: { server: serverArgument },
  flags: { version: versionFlag },
  async run({ server, version }, session) {
    const tools = await session.call('tools.look', { params: { name: server }, query: { version } });
    return {
      data: tools,
      view: toolsView(tools),
      next: isUnpinned(tools) ? [{ command: `svc mcp pin ${server}`, when: 'to let agents call these' }] : [],
    };
  },
});
