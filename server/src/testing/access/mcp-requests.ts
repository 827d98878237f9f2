// Requests to servers of the Model Context Protocol, for their tools, and to its registry API.
const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
/** Of the service of a test, whose host is an address. */
const namespace = '1.0.0.127.mcp-servers';

export const mcpRequests = (server: (at: unknown, look: string) => Promise<{ params: { name: string } }>) => {
  const registered = async (at: unknown, look: string) => ({
    params: { namespace, name: (await server(at, look)).params.name },
  });
  // Of this machine, so it is refused.
  const outside = { team: 'ml', from: 'http://127.0.0.1:1' };
  return {
    'outside_registry.read': () => ({ body: { ...outside, server: 'io.github.example/weather' } }),
    'outside_registry.search': () => ({ body: { ...outside, words: 'weather' } }),
    'mcp.all': () => ({ body }),
    'mcp.one': async (at: unknown, look: string) => ({ ...(await server(at, look)), body }),
    'served.agent': ({ agent }: { agent: { name: string } }) => ({ params: { name: agent.name }, body }),
    'mcp_registry.servers': () => ({}),
    'mcp_registry.versions': registered,
    'mcp_registry.version': async (at: unknown, look: string) => ({
      params: { ...(await registered(at, look)).params, version: 'latest' },
    }),
  };
};
