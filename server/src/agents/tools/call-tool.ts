// A call of a tool, by an agent in a run, or by a person for themselves. The order: the server is named and may be used, the run is open and its caller may
// still use the agent, the tool is pinned and unchanged, the limits leave room and the row is stored, its arguments pass the guardrails, fit the schema and
// pass the rules, the person has connected where it goes out in their name, no question of it waits for its
// caller, its price is held, a person has approved it where one must, and only then the
// call goes out.
import type { CallToolResult, Progress } from '@modelcontextprotocol/client';
import { Problem } from '@gantry/contract/problems.ts';
import { priceOf } from '@gantry/project/call-limits.ts';
import type { Database } from '../../ground/database/database.ts';
import type { TraceContext } from '../../ground/trace-context.ts';
import type { ListedTool } from '../../assets/registry/tool-lists/tool-list.ts';
import { admitCall, type ToolCaller } from './admit-call.ts';
import { holdPrice, type HeldPrice } from './limits/hold-price.ts';
import { requireCredential } from './require-credential.ts';
import { requireUnchanged } from './require-unchanged.ts';
import { checkArguments } from './check-arguments.ts';
import { takeApproval } from './approvals/take-approval.ts';
import { checkRules } from './check-rules.ts';
import type { UsableServer } from './find-tools.ts';
import type { ToolParts } from './parts.ts';
import { recordedCall, type BegunCall } from './recorded-call.ts';
import { questionsOfCall } from './questions/questions-of-call.ts';
import { callSearch } from './searches/call-search.ts';
import { callAddress } from './registry/call-address.ts';
import { named } from './upstream/connect.ts';
import { onServer } from './upstream/on-server.ts';
import { callAnswered, type Answerer } from './upstream/server-questions.ts';
import type { Behalf } from './upstream/credential.ts';
import * as store from './tool-call-store.ts';

export interface AskedCall {
  caller: ToolCaller;
  trace: TraceContext;
  server: string;
  tool: string;
  /** The server, when this request has found it already. */
  found?: UsableServer | undefined;
  arguments: Record<string, unknown>;
  signal: AbortSignal;
  onProgress?: ((progress: Progress) => void) | undefined;
}

const longest_call_ms = 10 * 60_000;
const settling_seconds = 60;

/** Throws the refusal, `not_found`, `run_refused`, `too_large`, `too_many_requests`, `rate_limit_exceeded`, `budget_exceeded`, `arguments_refused`, `guardrail_blocked`, `rule_refused`, `call_waits`, `call_rejected`, `question_waits`, `tool_changed` or `server_unavailable`. */
export async function callTool(parts: ToolParts, asked: AskedCall): Promise<CallToolResult> {
  const { db } = parts;
  const { caller } = asked;
  const { usable, user, through } = await admitCall(db, caller, asked);
  const pinned = pinnedTool(usable, asked.tool, caller);
  return await recordedCall(parts, { ...asked, usable, user, pinned }, async (begun) => {
    const call = { ...asked, arguments: begun.arguments };
    checkArguments(pinned, begun.arguments);
    await requireCredential(parts, { caller, user, usable });
    const wait = await checkRules(parts, call, { usable, user, pinned, limits: begun.limits });
    const questions = await questionsOfCall(parts, { ...call, call_id: begun.id, user, usable });
    const price = await holdPriceOf(db, call, { id: begun.id, usable });
    try {
      if (wait !== undefined) {
        const approval = await takeApproval(parts, { ...call, call_id: begun.id, user, usable, pinned, wait });
        await store.setApproval(db, begun.id, approval);
      }
      const sending = async () =>
        await send(parts, call, { begun, usable, pinned, behalf: { user, through }, answer: questions?.answer });
      const answered = await (questions?.around(sending) ?? sending());
      if (answered === undefined) throw new Error('a server asks, and no question waits');
      await price?.settle('answered');
      return answered;
    } catch (error) {
      await price?.settle(begun.isSent() ? 'failed' : 'refused').catch(parts.onError);
      throw error;
    }
  });
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

interface CheckedCall {
  begun: BegunCall;
  usable: UsableServer;
  pinned: ListedTool;
  behalf: Behalf;
  /** To questions of the server. */
  answer: Answerer | undefined;
}

/** Undefined when the server asks something that is not answered yet. */
async function send(
  parts: ToolParts,
  { caller, arguments: given, signal, onProgress }: AskedCall,
  { begun, usable, pinned, behalf, answer }: CheckedCall,
): Promise<CallToolResult | undefined> {
  const { upstream, own } = usable;
  const { limits, onSent } = begun;
  const call = { arguments: given, signal, limits, onSent };
  if (own !== undefined && 'http' in own) return await callAddress(parts, { ...call, tool: own.http, upstream });
  if (own !== undefined) return await callSearch(parts, { ...call, asset: own.search, caller, user: behalf.user });
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
    const options = {
      signal,
      timeout: limits.tool_call_seconds * 1000,
      maxTotalTimeout: longest_call_ms,
      ...(onProgress !== undefined && { onprogress: onProgress, resetTimeoutOnProgress: true }),
    };
    const calling = async (counted: Answerer) =>
      await callAnswered({ ...connection, tool: pinned, arguments: given }, counted, options);
    return await begun.ask(
      connection,
      async (counted) => await named({ upstream, ...connection }, async () => await calling(counted)),
      answer,
    );
  });
}
