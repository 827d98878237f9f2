import { defineCommand } from '../../command.ts';
import { isUnpinned, serverArgument, toolsView, versionFlag } from '../../mcp/describe-tools.ts';

export const command = defineCommand({
  words: 'mcp tools',
  summary: 'The tools of an MCP server that agents may call, and what the server has changed since',
  needs: 'asset.read',
  examples: ['svc mcp tools weather', 'svc mcp tools weather --version 1.0.0 --json'],
  arguments: { server: serverArgument },
  flags: { version: versionFlag },
  async run({ server, version }, session) {
    const tools = await session.call('tools.show', { params: { name: server }, query: { version } });
    return {
      data: tools,
      view: toolsView(tools),
      next:
        tools.seen === null || isUnpinned(tools)
          ? [{ command: `svc mcp pin ${server}`, when: 'to let agents call what it offers now' }]
          : [],
    };
  },
});
