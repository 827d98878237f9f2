// Tools as a server of the Model Context Protocol, for clients of both generations. Each request is complete in itself, so any process of the service
// answers it, and a restart breaks no session.
import {
  createMcpHandler,
  McpServer,
  type CallToolResult,
  type Progress,
  type ServerCapabilities,
  type Tool,
} from '@modelcontextprotocol/server';
import { Problem } from '@gantry/contract/problems.ts';
import { Refusal } from '../../access/authorize.ts';
import type { Caller } from '../../access/caller.ts';
import type { RecordRefusal } from '../../access/refused.ts';
import { version } from '../../../ground/version.ts';
import type { Reply } from '../answer/reply.ts';
import { printRefused, retryOf } from './print-refused.ts';
import type { RequestHeaders } from '../request/request-headers.ts';

export interface OfferedTools {
  list: () => Promise<Tool[]>;
  /** A `Problem` becomes a result that says it. */
  call: (asked: AskedTool) => Promise<CallToolResult>;
  /** What is served beside tools. */
  more?: { capabilities: ServerCapabilities; register: (server: McpServer) => void };
}

export interface AskedTool {
  name: string;
  arguments: Record<string, unknown>;
  /** Ends when the client cancels the call, or leaves. */
  signal: AbortSignal;
  /** Undefined when the client wants no progress. */
  onProgress?: ((progress: Progress) => void) | undefined;
}

interface McpParts {
  recordRefusal: RecordRefusal;
  onError: (error: unknown) => void;
}

interface McpRequest {
  caller: Caller;
  body: Uint8Array;
  headers: RequestHeaders;
  signal: AbortSignal;
}

const passedHeaders = ['content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'] as const;

export async function answerMcp(parts: McpParts, request: McpRequest, tools: OfferedTools): Promise<Reply> {
  const handler = createMcpHandler(() => serverOf(parts, request, tools), { onerror: parts.onError });
  // Both forms of an answer are for each client of the protocol.
  const headers = new Headers({ accept: 'application/json, text/event-stream' });
  for (const name of passedHeaders) {
    const value = request.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  const answer = await handler.fetch(
    new Request('http://service/mcp', { method: 'POST', headers, body: request.body, signal: request.signal }),
  );
  return {
    status: answer.status,
    headers: Object.fromEntries(answer.headers),
    ...(answer.body !== null && { body: answer.body }),
  };
}

function serverOf(parts: McpParts, { caller, signal }: McpRequest, tools: OfferedTools): McpServer {
  // The lists are made for each request, so nothing is registered here.
  const made = new McpServer({ name: 'gantry', version }, { capabilities: { tools: {}, ...tools.more?.capabilities } });
  const { server } = made;
  server.setRequestHandler('tools/list', async () => ({ tools: await tools.list() }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const progressToken = params._meta?.progressToken;
    const tell = (progress: Progress) =>
      void mcpReq
        .notify({ method: 'notifications/progress', params: { ...progress, progressToken: progressToken ?? '' } })
        .catch(parts.onError);
    try {
      return await tools.call({
        name: params.name,
        arguments: params.arguments ?? {},
        signal: AbortSignal.any([mcpReq.signal, signal]),
        onProgress: progressToken === undefined ? undefined : tell,
      });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error instanceof Refusal) await parts.recordRefusal(caller, error);
      return refused(error);
    }
  });
  tools.more?.register(made);
  return made;
}

/** A result, so that the model reads why and what would help. */
function refused(problem: Problem): CallToolResult {
  const { code, detail, hint } = problem;
  const _meta = { 'gantry/problem': code, 'gantry/detail': detail, 'gantry/hint': hint, ...retryOf(problem) };
  return { isError: true, content: [{ type: 'text', text: printRefused(problem) }], _meta };
}
