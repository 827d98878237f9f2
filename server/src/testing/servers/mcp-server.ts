// An MCP server of this machine, in both generations of the protocol. What it offers can be changed while it runs.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import {
  createMcpHandler,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type InputRequiredResult,
  type Prompt,
  type PromptMessage,
  type Resource,
  type Tool,
} from '@modelcontextprotocol/server';

/** For tests outside of the server. */
export { createMcpHandler, inputRequired, inputResponse, McpServer } from '@modelcontextprotocol/server';

export interface OfferedTool extends Tool {
  call: (
    given: Record<string, unknown>,
    progress: (done: number) => Promise<void>,
    /** To the questions of an earlier answer. */
    answers: Record<string, unknown> | undefined,
  ) => Promise<CallToolResult | InputRequiredResult> | CallToolResult | InputRequiredResult;
}

interface OfferedPrompt extends Prompt {
  text: string;
  /** A picture or a resource, beside the text. */
  more?: PromptMessage['content'];
}

interface OfferedResource extends Resource {
  text: string;
  /** In base64, in place of the text. */
  blob?: string;
}

interface AnswerInstead {
  status: number;
  headers: Record<string, string>;
  body?: string;
}

export interface McpServerOfTest {
  url: string;
  /** Read anew for each request. */
  tools: OfferedTool[];
  /** None: the server says that it has no prompts and no resources. */
  prompts: OfferedPrompt[];
  resources: OfferedResource[];
  /** The headers of each request. */
  seen: IncomingMessage['headers'][];
  /** The names of the tools that were called. */
  called: string[];
  /** Answers a request in place of the server. */
  instead?: (asked: { path: string; headers: IncomingMessage['headers'] }) => Promise<AnswerInstead | undefined>;
  close(): Promise<void>;
}

export async function mcpServerOfTest(
  tools: OfferedTool[],
  { legacyOnly = false, port = 0 } = {},
): Promise<McpServerOfTest> {
  const made: McpServerOfTest = {
    url: '',
    tools,
    prompts: [],
    resources: [],
    seen: [],
    called: [],
    close: async () => await Promise.resolve(),
  };
  const { fetch } = createMcpHandler(() => serverOf(made));
  const http = createServer((incoming, outgoing) => {
    void (async () => {
      made.seen.push(incoming.headers);
      const instead = await made.instead?.({ path: incoming.url ?? '', headers: incoming.headers });
      if (instead !== undefined) return outgoing.writeHead(instead.status, instead.headers).end(instead.body);
      // A server of 2025 knows no such method, so a client falls back.
      const isNew = incoming.headers['mcp-protocol-version'] === '2026-07-28';
      if (legacyOnly && isNew) return outgoing.writeHead(400).end();
      const headers = new Headers(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
      const isPost = incoming.method === 'POST';
      const answer = await fetch(
        new Request('http://test/mcp', {
          method: incoming.method ?? 'GET',
          headers,
          ...(isPost && { body: new Uint8Array(await buffer(incoming)) }),
        }),
      );
      outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
      if (answer.body !== null) for await (const part of answer.body) outgoing.write(part);
      return outgoing.end();
    })();
  });
  await new Promise<void>((resolve) => http.listen(port, '127.0.0.1', resolve));
  made.url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`; // it listens on TCP
  made.close = async () => {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  };
  return made;
}

function serverOf({ tools, prompts, resources, called }: McpServerOfTest): McpServer {
  const more = { ...(prompts.length > 0 && { prompts: {} }), ...(resources.length > 0 && { resources: {} }) };
  const made = new McpServer({ name: 'test', version: '1.0.0' }, { capabilities: { tools: {}, ...more } });
  const { server } = made;
  server.setRequestHandler(
    'tools/list',
    async () => await Promise.resolve({ tools: tools.map(({ call: _, ...tool }) => tool) }),
  );
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    called.push(params.name);
    const token = params._meta?.progressToken;
    const progress = async (done: number) => {
      if (token !== undefined)
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken: token, progress: done } });
    };
    const tool = tools.find(({ name }) => name === params.name);
    if (tool === undefined) return { isError: true, content: [{ type: 'text', text: 'no such tool' }] };
    return await tool.call(params.arguments ?? {}, progress, mcpReq.inputResponses);
  });
  if (prompts.length > 0) offerPrompts(made, prompts, called);
  if (resources.length > 0) offerResources(made, resources, called);
  return made;
}

function offerPrompts({ server }: McpServer, prompts: OfferedPrompt[], called: string[]): void {
  server.setRequestHandler('prompts/list', () => ({ prompts: prompts.map(({ text: _, ...prompt }) => prompt) }));
  server.setRequestHandler('prompts/get', ({ params }) => {
    called.push(`prompt ${params.name}`);
    const found = prompts.find(({ name }) => name === params.name);
    const text = `${found?.text ?? 'nothing'} ${JSON.stringify(params.arguments ?? {})}`;
    const more = found?.more === undefined ? [] : [{ role: 'user' as const, content: found.more }];
    return { messages: [...more, { role: 'user', content: { type: 'text', text } }] };
  });
}

function offerResources({ server }: McpServer, resources: OfferedResource[], called: string[]): void {
  server.setRequestHandler('resources/list', () => ({
    resources: resources.map(({ text: _, blob: _blob, ...resource }) => resource),
  }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ uriTemplate: 'memo:///{name}', name: 'a memo' }],
  }));
  server.setRequestHandler('resources/read', ({ params: { uri } }) => {
    called.push(`resource ${uri}`);
    const found = resources.find((one) => one.uri === uri);
    if (found === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Resource not found', { uri });
    const { text, blob, mimeType } = found;
    return { contents: [{ uri, ...(mimeType && { mimeType }), ...(blob === undefined ? { text } : { blob }) }] };
  });
}

export function textTool(
  name: string,
  description: string,
  answer: (given: Record<string, unknown>) => string,
): OfferedTool {
  return {
    name,
    description,
    inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
    call: (given) => ({ content: [{ type: 'text', text: answer(given) }] }),
  };
}
