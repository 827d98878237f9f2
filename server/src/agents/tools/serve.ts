// Tools, prompts and resources as an MCP server: those of an agent's servers at its door, and the tools of one server for a person who may use it.
import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import { reserved_servers } from '@gantry/contract/assets/tools.ts';
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
import { serverFor, usableFor, type UsableServer } from './find-tools.ts';
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
  // A server that the agent may not use is refused before the protocol begins. What was found is good for this one request.
  const found = request.server === undefined ? undefined : await usableFor(parts.db, asking);
  const list = async () => listed(asking, found ?? (await usableFor(parts.db, asking)));
  return await answerMcp(parts, asking, {
    list: async () => (await list()) as Tool[], // a client of the protocol has read them by the schema
    call: async (asked) => await callNamed(parts, { ...asking, found }, asked),
    more: { capabilities: { prompts: {}, resources: {} }, register: (server) => serveContext(parts, server, asking) },
  });
}

async function serveServer(
  parts: ServeParts,
  { server, ...asking }: Omit<McpRequest, 'caller'> & { caller: SignedInCaller },
): Promise<Reply> {
  if (server === undefined) throw new Error('only one server is served to people');
  const found = await serverFor(parts.db, asking.caller, server);
  return await answerMcp(parts, asking, {
    list: async () => await Promise.resolve(found.tools as Tool[]), // as above
    call: async ({ name: tool, ...asked }) => await callTool(parts, { ...asking, ...asked, server, tool, found }),
  });
}

type Asking = Omit<McpRequest, 'caller'> & { caller: AgentCaller };

async function callNamed(
  parts: ServeParts,
  { found, ...asking }: Asking & { found: UsableServer[] | undefined },
  asked: AskedTool,
): Promise<CallToolResult> {
  const named = innerName(asking, asked.name);
  if (named === undefined)
    throw new Problem('not_found', { detail: `There is no tool ${asked.name}. Its name begins with its server.` });
  const call = { ...asking, ...asked, server: named.server, tool: named.name };
  // Each tool that the service itself serves is a server of its own, and its refusal has its own words.
  const isReserved = Object.hasOwn(reserved_servers, named.server);
  const result = await callTool(parts, { ...call, found: isReserved ? undefined : found?.[0] });
  const of = asking.server === undefined ? named.server : undefined;
  return { ...result, content: result.content.map((part) => withOuterUris(of, part)) };
}

function listed(asking: Asking, servers: readonly UsableServer[]): ListedTool[] {
  return servers.flatMap(({ server, tools }) =>
    tools.map((tool) => ({ ...tool, name: outerName(asking, server.name, tool.name) })),
  );
}
