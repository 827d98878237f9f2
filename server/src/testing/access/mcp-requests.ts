// Requests to servers of the Model Context Protocol, for their tools.
const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

export const mcpRequests = (server: (at: unknown, look: string) => Promise<{ params: { name: string } }>) => ({
  'mcp.all': () => ({ body }),
  'mcp.one': async (at: unknown, look: string) => ({ ...(await server(at, look)), body }),
  'served.agent': ({ agent }: { agent: { name: string } }) => ({ params: { name: agent.name }, body }),
});
