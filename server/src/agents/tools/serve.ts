// Tools, prompts and resources as an MCP server: those of an agent's servers at its door, and the tools of one server for a person who may use it.
import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import { Problem } from '@gantry/contract/problems.ts';
import type { AgentCaller, Caller, SignedInCaller } from '../../governance/access/caller.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import { authorize } from '../../governance/access/authorize.ts';
import { theOrg } from '../../governance/access/subject.ts';
import type { RecordRefusal } from '../../governance/access/refused.ts';
import type { Reply } from '../../governance/http/answer/reply.ts';
import { answerMcp, type AskedTool } from '../../governance/http/mcp/answer-mcp.ts';
import type { RequestHeaders } from '../../governance/http/request/request-headers.ts';
import type { TraceContext } from '../../ground/trace-context.ts';
import type { ListedTool } from '../../assets/registry/tool-lists/tool-list.ts';
import { callTool } from './call-tool.ts';
import { serverFor, usableFor } from './find-tools.ts';
import { innerName, outerName } from './outer-names.ts';
import type { ToolParts } from './parts.ts';
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

export interface ServeParts extends ToolParts {
  recordRefusal: RecordRefusal;
}

export async function serveTools(parts: ServeParts, { caller, ...request }: McpRequest): Promise<Reply> {
  if (caller.kind !== 'agent') return await serveServer(parts, { ...request, caller: signedIn(caller) });
  authorize(caller, 'tool.call', theOrg);
  const asking = { ...request, caller };
  // A server that the agent may not use is refused before the protocol begins.
  if (request.server !== undefined) await usableFor(parts.db, asking);
  return await answerMcp(parts, asking, {
    list: async () => (await listTools(parts, asking)) as Tool[], // a client of the protocol has read them by the schema
    call: async (asked) => await callNamed(parts, asking, asked),
    more: { capabilities: { prompts: {}, resources: {} }, register: (server) => serveContext(parts, server, asking) },
  });
}

async function serveServer(
  parts: ServeParts,
  { server, ...asking }: Omit<McpRequest, 'caller'> & { caller: SignedInCaller },
): Promise<Reply> {
  if (server === undefined) throw new Error('only one server is served to people');
  await serverFor(parts.db, asking.caller, server);
  return await answerMcp(parts, asking, {
    list: async () => (await serverFor(parts.db, asking.caller, server)).tools as Tool[], // as above
    call: async ({ name: tool, ...asked }) => await callTool(parts, { ...asking, ...asked, server, tool }),
  });
}

type Asking = Omit<McpRequest, 'caller'> & { caller: AgentCaller };

async function callNamed(parts: ServeParts, asking: Asking, asked: AskedTool): Promise<CallToolResult> {
  const named = innerName(asking, asked.name);
  if (named === undefined)
    throw new Problem('not_found', { detail: `There is no tool ${asked.name}. Its name begins with its server.` });
  const result = await callTool(parts, { ...asking, ...asked, server: named.server, tool: named.name });
  const of = asking.server === undefined ? named.server : undefined;
  return { ...result, content: result.content.map((part) => withOuterUris(of, part)) };
}

async function listTools({ db }: ServeParts, asking: Asking): Promise<ListedTool[]> {
  const servers = await usableFor(db, asking);
  return servers.flatMap(({ server, tools }) =>
    tools.map((tool) => ({ ...tool, name: outerName(asking, server.name, tool.name) })),
  );
}
