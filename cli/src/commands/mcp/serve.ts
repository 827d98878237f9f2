import { defineCommand } from '../../command.ts';

export const command = defineCommand({
  words: 'mcp serve',
  summary: 'The service as tools for a coding agent, over stdio: it deploys, reads logs and asks for approvals as you',
  needs: 'asset.list',
  examples: ['svc mcp serve', 'svc mcp serve --team ml'],
  arguments: {},
  flags: {},
  async run(_, session) {
    const { bridge } = await import('../../mcp/bridge.ts');
    await bridge(session, process.stdin);
    return { data: undefined, view: [] };
  },
});
