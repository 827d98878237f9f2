/** Where the agent is a server of the Model Context Protocol, from the address of its calls. */
export function mcpAddress(endpoint: string): string {
  return endpoint.replace(/\/invoke$/, '/mcp');
}
