// A call of a tool, by an agent in a run, or by a person for themselves. The order: the server is named and may be used, the run is open and its caller may
// still use the agent, the tool is pinned and unchanged, the limits leave room and the row is stored, its arguments pass the guardrails, fit the schema and
// pass the rules, the person has connected where it goes out in their name, its price is held, a person has approved it where one must, and only then the
// call goes out.
import { randomUUID } from 'node:crypto';
import type { CallToolResult, Progress } from '@modelcontextprotocol/client';
import type { OrgSettings } from '@gantry/contract/people/org.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { priceOf } from '@gantry/project/call-limits.ts';
import type { Database } from '../../ground/database/database.ts';
import { settings } from '../../people/principals/find.ts';
import type { TraceContext } from '../../ground/trace-context.ts';
import { digestOf } from '../../assets/registry/content.ts';
import type { ListedTool } from '../../assets/registry/tool-lists/tool-list.ts';
import { admitCall, type ToolCaller } from './admit-call.ts';
import { beginCall } from './limits/begin-call.ts';
import { holdPrice, type HeldPrice } from './limits/hold-price.ts';
import { requireCredential } from './require-credential.ts';
import { requireUnchanged } from './require-unchanged.ts';
import { checkArguments } from './check-arguments.ts';
import { Blocked } from '../../models/guardrails/guarded-call.ts';
import { guardedArguments, guardedResult, guardTool } from './guarded-tool.ts';
import { takeApproval } from './approvals/take-approval.ts';
import { checkRules, RuleRefused } from './check-rules.ts';
import type { UsableServer } from './find-tools.ts';
import type { ToolParts } from './parts.ts';
import { openToolSpan } from './tool-span.ts';
import { callAddress } from './registry/call-address.ts';
import { named } from './upstream/connect.ts';
import { onServer } from './upstream/on-server.ts';
import type { Behalf } from './upstream/credential.ts';
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

const longest_call_ms = 10 * 60_000;
const settling_seconds = 60;
/** The call did not go out. */
const refusals: readonly string[] = [
  'tool_changed',
  'arguments_refused',
  'rule_refused',
  'call_waits',
  'call_rejected',
  'connection_needed',
  'connection_refused',
];

/** Throws the refusal, `not_found`, `run_refused`, `too_large`, `too_many_requests`, `rate_limit_exceeded`, `budget_exceeded`, `arguments_refused`, `guardrail_blocked`, `rule_refused`, `call_waits`, `call_rejected`, `tool_changed` or `server_unavailable`. */
export async function callTool(parts: ToolParts, asked: AskedCall): Promise<CallToolResult> {
  const { db } = parts;
  const { caller } = asked;
  const limits = await settings(db);
  if (Buffer.byteLength(JSON.stringify(asked.arguments)) > limits.tool_arguments_kb * 1024)
    throw new Problem('too_large', { detail: `The arguments of a tool have at most ${limits.tool_arguments_kb} kB.` });
  const { usable, user, through } = await admitCall(db, caller, asked);
  const agent = caller.kind === 'agent' ? caller : undefined;
  const pinned = pinnedTool(usable, asked.tool, caller);
  const id = randomUUID();
  const guarded = await guardTool(parts, { ...asked, team: usable.upstream.asset.team });
  const span = openToolSpan(parts.spans, { ...asked, user_id: user.id, call_id: id });
  let price: HeldPrice | undefined;
  let isSent = false;
  let declined = 0;
  try {
    await beginCall(parts, {
      id,
      rate: usable.upstream.config.rate,
      at_once: limits.tool_calls_at_once,
      call: {
        agent_id: agent?.id ?? null,
        revision_id: agent?.revision_id ?? null,
        run_id: agent?.run?.run_id ?? null,
        caller_id: user.id,
        server: usable.upstream.ref,
        server_version: usable.server.version,
        tool: asked.tool,
        arguments_digest: digestOf(asked.arguments),
      },
    });
    const given = await guardedArguments(guarded, asked.arguments);
    if (given !== asked.arguments) await store.setArguments(db, id, digestOf(given));
    const call = { ...asked, arguments: given };
    checkArguments(pinned, given);
    await requireCredential(parts, { caller, user, usable });
    const wait = await checkRules(parts, call, { usable, user });
    price = await holdPriceOf(db, call, { id, usable });
    if (wait !== undefined)
      await store.setApproval(db, id, await takeApproval(parts, { ...call, call_id: id, user, usable, pinned, wait }));
    const onSent = () => (isSent = true);
    const onDeclined = (count: number) => (declined = count);
    const behalf = { user, through };
    const answered = await send(parts, call, { usable, pinned, behalf, limits, onSent, onDeclined });
    await price?.settle('answered');
    const result = await guardedResult(guarded, answered);
    const outcome = result.isError === true ? 'error' : 'answered';
    await store.end(db, id, { outcome, result_digest: digestOf(result), problem: null });
    span.end(outcome === 'answered' ? null : 'tool_error', { result, done: guarded?.done, declined });
    return result;
  } catch (error) {
    const problem = error instanceof Problem ? error.code : 'internal';
    span.end(problem, { done: guarded?.done, declined });
    await price?.settle(isSent ? 'failed' : 'refused').catch(parts.onError);
    const isRefused = refusals.includes(problem) || (error instanceof Blocked && error.place === 'tool_in');
    const outcome = isRefused ? 'refused' : 'failed';
    const rule = error instanceof RuleRefused ? error.rule : null;
    await store.end(db, id, { outcome, result_digest: null, problem, rule });
    throw error;
  } finally {
    parts.open_calls.remove(id);
  }
}

async function holdPriceOf(
  db: Database,
  { caller, tool }: AskedCall,
  { id, usable: { server, upstream } }: { id: string; usable: UsableServer },
): Promise<HeldPrice | undefined> {
  const usd = priceOf(tool, upstream.config);
  if (usd === undefined) return undefined;
  if (caller.kind !== 'agent')
    throw new Problem('not_callable', {
      detail: `${tool} of ${upstream.ref} has a price, which only the budget of an agent pays.`,
    });
  const deadline_seconds = longest_call_ms / 1000 + settling_seconds;
  return await holdPrice(db, {
    caller,
    call_id: id,
    ref: server.ref,
    server: upstream.ref,
    tool,
    usd,
    deadline_seconds,
  });
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

interface SentCall {
  usable: UsableServer;
  pinned: ListedTool;
  behalf: Behalf;
  limits: Pick<OrgSettings, 'tool_result_kb' | 'tool_call_seconds'>;
  /** Nobody knows any more whether the tool has done its work. */
  onSent: () => void;
  /** How many questions to the user were declined in the meantime, on the connection of the caller. */
  onDeclined: (count: number) => void;
}

async function send(
  parts: ToolParts,
  { caller, tool: name, arguments: given, signal, onProgress }: AskedCall,
  { usable, pinned, behalf, limits, onSent, onDeclined }: SentCall,
): Promise<CallToolResult> {
  const { upstream, http } = usable;
  if (http !== undefined)
    return await callAddress(parts, { tool: http, upstream, arguments: given, signal, limits, onSent });
  return await onServer(parts, { usable, caller, behalf, signal }, async (connection) => {
    await requireUnchanged(parts, connection, usable, {
      pinned,
      among: ({ tools }) => tools,
      says: (ref, isGone) =>
        isGone
          ? `${ref} no longer offers ${pinned.name}.`
          : `${ref} has changed ${pinned.name} since its list was pinned.`,
    });
    onSent();
    const { conceal } = connection;
    const before = connection.declined();
    const result = await named(
      { upstream, conceal },
      async () =>
        await connection.client.callTool(
          { name, arguments: given },
          {
            signal,
            timeout: limits.tool_call_seconds * 1000,
            maxTotalTimeout: longest_call_ms,
            ...(onProgress !== undefined && { onprogress: onProgress, resetTimeoutOnProgress: true }),
          },
        ),
    ).finally(() => onDeclined(connection.declined() - before));
    const text = JSON.stringify(result);
    if (Buffer.byteLength(text) > limits.tool_result_kb * 1024)
      throw new Problem('server_unavailable', {
        detail: `${upstream.ref} answered with more than ${limits.tool_result_kb} kB.`,
      });
    const concealed = conceal(text);
    return concealed === text ? result : (JSON.parse(concealed) as CallToolResult); // the same with other texts
  });
}
