// Public MCP servers as their authors publish them, and what a client asks of each. The answer shows that the server did its work.

export interface PublicServer {
  name: string;
  /** In the registry. */
  config: Record<string, unknown>;
  /** In this order; one caller has one program. */
  calls: ToolCall[];
}

interface ToolCall {
  tool: string;
  arguments: Record<string, unknown>;
  answer: RegExp;
}

const call = (tool: string, given: Record<string, unknown>, answer: RegExp): ToolCall => ({
  tool,
  arguments: given,
  answer,
});

/** The service runs them, without a network. */
export const hosted_servers: PublicServer[] = [
  {
    name: 'everything',
    config: { package: 'npm:@modelcontextprotocol/server-everything@2026.8.31' },
    calls: [call('get-sum', { a: 20, b: 22 }, /\b42\b/)],
  },
];
