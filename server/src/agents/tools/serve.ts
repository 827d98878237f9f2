// An agent's tools, prompts and resources as an MCP server, for clients of both generations of the protocol. Each request is complete in itself, so any process of the service
// answers it, and a restart breaks no session.
import { createMcpHandler, McpServer, type CallToolResult, type Tool } from '@modelcontextprotocol/server';
import { Problem } from '@gantry/contract/problems.ts';
import type { AgentCaller, Caller } from '../../governance/access/caller.ts';
import { authorize, Refusal } from '../../governance/access/authorize.ts';
import { theOrg } from '../../governance/access/subject.ts';
import type { RecordRefusal } from '../../governance/access/refused.ts';
import type { Reply } from '../../governance/http/answer/reply.ts';
import type { RequestHeaders } from '../../governance/http/request/request-headers.ts';
import type { TraceContext } from '../../ground/trace-context.ts';
import { version } from '../../ground/version.ts';
import type { ListedTool } from '../../assets/registry/tool-lists/tool-list.ts';
import { callTool } from './call-tool.ts';
import { usableNamed, usableServers } from './find-tools.ts';
import type { ToolParts } from './parts.ts';
import { printRefused, retryOf } from './print-refused.ts';
import { withOuterUris } from './resource-uris.ts';
import { serveContext } from './serve-context.ts';

export interface McpRequest {
  caller: Caller;
  /** The only server. Undefined: all of them, and each tool is named <server>__<tool>. */
  server?: string;
  body: Uint8Array;
  headers: RequestHeaders;
  signal: AbortSignal;
  trace: TraceContext;
}

interface ServeParts extends ToolParts {
  recordRefusal: RecordRefusal;
}

/** Names of servers have no underscore, so the first pair of them ends the name. */
const between = '__';

const passedHeaders = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'] as const;

export async function serveTools(parts: ServeParts, { caller, ...request }: McpRequest): Promise<Reply> {
  authorize(caller, 'tool.call', theOrg);
  if (caller.kind !== 'agent') throw new Error('only an agent comes here');
  const asking = { ...request, caller };
  // A server that the agent may not use is refused before the protocol begins.
  if (request.server !== undefined) await usableNamed(parts.db, caller, request.server);
  const handler = createMcpHandler(() => mcpServer(parts, asking), { onerror: parts.onError });
  const headers = new Headers();
  for (const name of passedHeaders) {
    const value = request.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  const answer = await handler.fetch(
    new Request('http://door/mcp', { method: 'POST', headers, body: request.body, signal: request.signal }),
  );
  return {
    status: answer.status,
    headers: Object.fromEntries(answer.headers),
    ...(answer.body !== null && { body: answer.body }),
  };
}

type Asking = Omit<McpRequest, 'caller'> & { caller: AgentCaller };

function mcpServer(parts: ServeParts, asking: Asking): McpServer {
  // The lists and the answers are those of other servers, so nothing is registered here.
  const made = new McpServer({ name: 'gantry', version }, { capabilities: { tools: {}, prompts: {}, resources: {} } });
  const { server } = made;
  // The list comes from a server of the protocol, whose client has read it by the schema.
  server.setRequestHandler('tools/list', async () => ({ tools: (await listTools(parts, asking)) as Tool[] }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const progressToken = params._meta?.progressToken;
    const named = nameOf(asking, params.name);
    try {
      if (named === undefined)
        throw new Problem('not_found', { detail: `There is no tool ${params.name}. Its name begins with its server.` });
      const result = await callTool(parts, {
        ...asking,
        ...named,
        arguments: params.arguments ?? {},
        signal: mcpReq.signal,
        onProgress:
          progressToken === undefined
            ? undefined
            : (progress) =>
                void mcpReq
                  .notify({ method: 'notifications/progress', params: { ...progress, progressToken } })
                  .catch(parts.onError),
      });
      const of = asking.server === undefined ? named.server : undefined;
      return { ...result, content: result.content.map((part) => withOuterUris(of, part)) };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error instanceof Refusal) await parts.recordRefusal(asking.caller, error);
      return refused(error);
    }
  });
  serveContext(parts, made, asking);
  return made;
}

async function listTools({ db }: ServeParts, { caller, server }: Asking): Promise<ListedTool[]> {
  if (server !== undefined) return (await usableNamed(db, caller, server)).flatMap(({ tools }) => tools);
  const servers = await usableServers(db, caller);
  return servers.flatMap(({ server: { name }, tools }) =>
    tools.map((tool) => ({ ...tool, name: `${name}${between}${tool.name}` })),
  );
}

function nameOf({ server }: Asking, name: string): { server: string; tool: string } | undefined {
  if (server !== undefined) return { server, tool: name };
  const at = name.indexOf(between);
  return at < 0 ? undefined : { server: name.slice(0, at), tool: name.slice(at + between.length) };
}

/** A result, so that the model reads why and what would help. */
function refused(problem: Problem): CallToolResult {
  return {
    isError: true,
    content: [{ type: 'text', text: printRefused(problem) }],
    _meta: { 'gantry/problem': problem.code, ...retryOf(problem) },
  };
}
