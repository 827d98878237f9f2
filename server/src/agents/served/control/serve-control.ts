// The service itself as an MCP server: a coding agent works for its person, with the person's own token and rights. Each tool is a call of the API, so what
// the API refuses is refused here, and its log has it.
import { z } from 'zod';
import { createClient } from '@gantry/contract/client/client.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Reply } from '../../../governance/http/answer/reply.ts';
import { answerMcp } from '../../../governance/http/mcp/answer-mcp.ts';
import { bearerOf } from '../../../governance/http/request/request-headers.ts';
import type { SignedInCaller } from '../../../governance/access/caller.ts';
import { sessionOf } from '../../../ground/copies/copies.ts';
import type { Tokens } from '../../../people/login/token.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import type { McpRequest, ServeParts } from '../../tools/serve.ts';
import { listedTool, type ControlTool } from './control-tool.ts';
import { controlTools } from './control-tools.ts';

/** Longer than a tool's call of the API takes to begin. */
const inner_seconds = 60;

export interface ControlParts extends Pick<ServeParts, 'recordRefusal' | 'onError'> {
  /** For what a client's call asks of the API. */
  tokens: Tokens;
  /** Where this process reaches the API. */
  api_url: () => string;
}

export async function serveControl(parts: ControlParts, request: McpRequest): Promise<Reply> {
  const caller = signedIn(request.caller);
  const offered = controlTools.filter(({ acts }) => mayCall(caller, acts));
  refuseBeforeTheProtocol(offered, request.body);
  const token = await tokenFor(parts, caller, request);
  const team = request.headers.get('x-service-team') ?? undefined;
  const client = createClient({ base_url: parts.api_url(), token: () => token, team: () => team });
  return await answerMcp(parts, request, {
    list: async () => await Promise.resolve(offered.map(listedTool)),
    call: async ({ name, arguments: given, signal }) => {
      const tool = requireTool(offered, name);
      const answer = await tool.run(client, given, signal);
      return { content: [{ type: 'text', text: JSON.stringify(answer, null, 2) }] };
    },
  });
}

/** At the API the scopes of a client do not count, so they are decided here. */
function mayCall({ client }: SignedInCaller, acts: ControlTool['acts']): boolean {
  return client === undefined || client.scopes.includes(acts === 'reads' ? 'read' : 'change');
}

/** Throws `insufficient_scope` or `not_found`. */
function requireTool(offered: readonly ControlTool[], name: string): ControlTool {
  const tool = offered.find((one) => one.name === name);
  if (tool !== undefined) return tool;
  if (controlTools.some((one) => one.name === name))
    throw new Problem('insufficient_scope', { detail: `The person has not allowed the client to call ${name}.` });
  throw new Problem('not_found', { detail: `There is no tool ${name.slice(0, 100)}.` });
}

const toolCall = z.object({ method: z.literal('tools/call'), params: z.object({ name: z.string() }) });

/** A client asks its person for more after a 403 alone, not after a result. */
function refuseBeforeTheProtocol(offered: readonly ControlTool[], body: Uint8Array): void {
  const { data } = toolCall.safeParse(jsonOf(body));
  if (data !== undefined && controlTools.some(({ name }) => name === data.params.name))
    requireTool(offered, data.params.name);
}

function jsonOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString());
  } catch {
    return undefined; // The protocol has an answer of its own.
  }
}

/** The token of a client counts at this address alone. For the call it gets one of the same session, which never leaves the service. */
async function tokenFor(
  { tokens }: ControlParts,
  { id, client, presence }: SignedInCaller,
  { headers }: McpRequest,
): Promise<string | undefined> {
  const session_id = sessionOf(presence);
  if (client === undefined || session_id === null) return bearerOf(headers);
  return await tokens.issue({ session_id, subject: id, kind: 'user', way: 'bearer' }, inner_seconds);
}
