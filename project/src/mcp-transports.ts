/** How an agent connects to an MCP server: through the pipes of a program that it starts, or over HTTP. */
export const mcpTransports = ['stdio', 'sse', 'streamable-http'] as const;
