// Requests to servers of the Model Context Protocol, for their tools.
const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

export const mcpRequests = {
  'mcp.all': () => ({ body }),
  'mcp.one': () => ({ params: { name: 'weather' }, body }),
  'served.agent': ({ agent }: { agent: { name: string } }) => ({ params: { name: agent.name }, body }),
};
