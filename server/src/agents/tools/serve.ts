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
import { serverFor, usableNamed, usableServers } from './find-tools.ts';
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

/** Names of servers have no underscore, so the first pair of them ends the name. */
const between = '__';

export async function serveTools(parts: ServeParts, { caller, ...request }: McpRequest): Promise<Reply> {
  if (caller.kind !== 'agent') return await serveServer(parts, { ...request, caller: signedIn(caller) });
  authorize(caller, 'tool.call', theOrg);
  const asking = { ...request, caller };
  // A server that the agent may not use is refused before the protocol begins.
  if (request.server !== undefined) await usableNamed(parts.db, caller, request.server);
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
  const named = nameOf(asking, asked.name);
  if (named === undefined)
    throw new Problem('not_found', { detail: `There is no tool ${asked.name}. Its name begins with its server.` });
  const result = await callTool(parts, { ...asking, ...asked, ...named });
  const of = asking.server === undefined ? named.server : undefined;
  return { ...result, content: result.content.map((part) => withOuterUris(of, part)) };
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
