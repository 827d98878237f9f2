/** How an agent talks to an MCP server: over the pipes of a program that it starts, or over HTTP. */
export const mcpTransports = ['stdio', 'sse', 'streamable-http'] as const;
