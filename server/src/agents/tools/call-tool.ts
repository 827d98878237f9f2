// A call of a tool, by an agent in a run, or by a person for themselves. The order: the server is named and may be used, the run is open and its caller may still use the agent, the tool is
// pinned and unchanged, the row is stored, its arguments pass the guardrails, fit the schema and pass the rules, a person has approved
// it where one must, and only then the call goes out.
import { randomUUID } from 'node:crypto';
import type { CallToolResult, Progress } from '@modelcontextprotocol/client';
import { Problem } from '@gantry/contract/problems.ts';
import type { TraceContext } from '../../ground/trace-context.ts';
import { digestOf } from '../../assets/registry/content.ts';
import { isSameTool, type ListedTool } from '../../assets/registry/tool-lists/tool-list.ts';
import { noteList } from '../../assets/registry/tool-lists/note-list.ts';
import { admitCall, type ToolCaller } from './admit-call.ts';
import { checkArguments } from './check-arguments.ts';
import { Blocked } from '../../models/guardrails/guarded-call.ts';
import { guardedArguments, guardedResult, guardTool } from './guarded-tool.ts';
import { takeApproval } from './approvals/take-approval.ts';
import { checkRules, RuleRefused } from './check-rules.ts';
import type { UsableServer } from './find-tools.ts';
import type { ToolParts } from './parts.ts';
import { openToolSpan } from './tool-span.ts';
import { connect, named, type ServerConnection } from './upstream/connect.ts';
import * as store from './tool-call-store.ts';

export interface AskedCall {
  caller: ToolCaller;
  trace: TraceContext;
  server: string;
  tool: string;
  arguments: Record<string, unknown>;
  signal: AbortSignal;
  onProgress?: ((progress: Progress) => void) | undefined;
}

const most_argument_bytes = 64 * 1024;
const most_result_bytes = 1024 * 1024;
const call_ms = 60_000;
const longest_call_ms = 10 * 60_000;
/** The call did not go out. */
const refusals: readonly string[] = [
  'tool_changed',
  'arguments_refused',
  'rule_refused',
  'call_waits',
  'call_rejected',
];
/** A change of a list is seen after this time at the latest. */
const list_age_ms = 10_000;

/** Throws the refusal, `not_found`, `run_refused`, `too_large`, `arguments_refused`, `guardrail_blocked`, `rule_refused`, `call_waits`, `call_rejected`, `tool_changed` or `server_unavailable`. */
export async function callTool(parts: ToolParts, asked: AskedCall): Promise<CallToolResult> {
  const { db } = parts;
  const { caller } = asked;
  if (Buffer.byteLength(JSON.stringify(asked.arguments)) > most_argument_bytes)
    throw new Problem('too_large', { detail: `The arguments of a tool have at most ${most_argument_bytes} bytes.` });
  const { usable, user } = await admitCall(db, caller, asked.server);
  const agent = caller.kind === 'agent' ? caller : undefined;
  const pinned = pinnedTool(usable, asked.tool, caller);
  const id = randomUUID();
  const guarded = await guardTool(parts, { ...asked, team: usable.upstream });
  const span = openToolSpan(parts.spans, { ...asked, user_id: user.id, call_id: id });
  try {
    await store.begin(db, id, {
      agent_id: agent?.id ?? null,
      revision_id: agent?.revision_id ?? null,
      run_id: agent?.run?.run_id ?? null,
      caller_id: user.id,
      server: usable.upstream.ref,
      server_version: usable.server.version,
      tool: asked.tool,
      arguments_digest: digestOf(asked.arguments),
    });
    const given = await guardedArguments(guarded, asked.arguments);
    if (given !== asked.arguments) await store.setArguments(db, id, digestOf(given));
    const call = { ...asked, arguments: given };
    checkArguments(pinned, given);
    const wait = await checkRules(parts, call, { usable, user });
    if (wait !== undefined)
      await store.setApproval(db, id, await takeApproval(parts, { ...call, call_id: id, user, usable, pinned, wait }));
    const answered = await send(parts, call, { usable, pinned, caller_id: user.id });
    const result = await guardedResult(guarded, answered);
    const outcome = result.isError === true ? 'error' : 'answered';
    await store.end(db, id, { outcome, result_digest: digestOf(result), problem: null });
    span.end(outcome === 'answered' ? null : 'tool_error', { result, done: guarded?.done });
    return result;
  } catch (error) {
    const problem = error instanceof Problem ? error.code : 'internal';
    span.end(problem, { done: guarded?.done });
    const isRefused = refusals.includes(problem) || (error instanceof Blocked && error.place === 'tool_in');
    const outcome = isRefused ? 'refused' : 'failed';
    const rule = error instanceof RuleRefused ? error.rule : null;
    await store.end(db, id, { outcome, result_digest: null, problem, rule });
    throw error;
  }
}

function pinnedTool({ server, upstream, tools }: UsableServer, name: string, { kind }: ToolCaller): ListedTool {
  const tool = tools.find((one) => one.name === name);
  if (tool !== undefined) return tool;
  if (kind !== 'agent')
    throw new Problem('not_found', {
      detail: `${name} is not among the pinned tools of ${upstream.ref}@${server.version}.`,
      hint: `What is pinned, and what the server offers now: svc mcp tools ${server.name}`,
    });
  if (server.pushed === undefined)
    throw new Problem('not_found', {
      detail: `No tools of ${upstream.ref}@${server.version} were pinned when the agent was pushed.`,
      hint: `Pin them (svc mcp pin ${server.name}), then push and deploy the agent again.`,
    });
  throw new Problem('not_found', {
    detail: `${name} is not among the tools of ${upstream.ref} that this agent may call.`,
    hint: `They are those that were pinned when it was pushed: svc mcp tools ${server.name}`,
  });
}

async function send(
  parts: ToolParts,
  { caller, tool: name, arguments: given, signal, onProgress }: AskedCall,
  { usable, pinned, caller_id }: { usable: UsableServer; pinned: ListedTool; caller_id: string },
): Promise<CallToolResult> {
  const { server, upstream } = usable;
  const of = {
    server_id: server.asset_id,
    version: server.version,
    agent_id: caller.kind === 'agent' ? caller.id : null,
    caller_id,
  };
  // The connection outlives the call, so its opening does not end with it.
  const open = async () => await connect(parts, upstream, AbortSignal.timeout(call_ms));
  return await parts.connections.use(of, open, async (connection) => {
    await requireUnchanged(parts, connection, usable, pinned);
    const result = await named(
      upstream,
      async () =>
        await connection.client.callTool(
          { name, arguments: given },
          {
            signal,
            timeout: call_ms,
            maxTotalTimeout: longest_call_ms,
            ...(onProgress !== undefined && { onprogress: onProgress, resetTimeoutOnProgress: true }),
          },
        ),
    );
    if (Buffer.byteLength(JSON.stringify(result)) > most_result_bytes)
      throw new Problem('server_unavailable', {
        detail: `${upstream.ref} answered with more than ${most_result_bytes} bytes.`,
      });
    return result;
  });
}

/** Throws `tool_changed`. The new list is stored, so that its owner sees the difference. */
async function requireUnchanged(
  { db }: ToolParts,
  connection: ServerConnection,
  { server, upstream }: UsableServer,
  pinned: ListedTool,
): Promise<void> {
  const list = await connection.list(list_age_ms);
  const now = list.tools.find(({ name }) => name === pinned.name);
  if (now !== undefined && isSameTool(now, pinned)) return;
  await noteList(db, server, list);
  throw new Problem('tool_changed', {
    detail:
      now === undefined
        ? `${upstream.ref} no longer offers ${pinned.name}.`
        : `${upstream.ref} has changed ${pinned.name} since its list was pinned.`,
    hint: `Its owner reads the difference and pins it: svc mcp pin ${server.name}`,
  });
}
