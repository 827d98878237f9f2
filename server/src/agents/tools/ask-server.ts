// Prompts and resources of a server, for an agent. They pass what a call of a tool passes: use of the server, an open run, the limits, the guardrails, and a row
// before anything goes out. Rules and approvals are about tools.
import { randomUUID } from 'node:crypto';
import { Problem } from '@gantry/contract/problems.ts';
import type { AgentCaller } from '../../governance/access/caller.ts';
import type { TraceContext } from '../../ground/trace-context.ts';
import { digestOf } from '../../assets/registry/content.ts';
import { settings } from '../../people/principals/find.ts';
import { delegationOfAgent } from '../delegated-calls/delegation.ts';
import { isOpenRun } from '../invoke/open-run.ts';
import type { UsableServer } from './find-tools.ts';
import { guardedArguments, guardedTexts, guardTool } from './guarded-tool.ts';
import { beginCall } from './limits/begin-call.ts';
import type { ToolParts } from './parts.ts';
import { openToolSpan } from './tool-span.ts';
import { requireCredential } from './require-credential.ts';
import { onServer } from './upstream/on-server.ts';
import { named, type ServerConnection } from './upstream/connect.ts';
import * as store from './tool-call-store.ts';

export interface AskedOfServer<Answer> {
  caller: AgentCaller;
  trace: TraceContext;
  usable: UsableServer;
  /** The method of the protocol, and of a prompt its name. */
  what: string;
  arguments: Record<string, unknown>;
  signal: AbortSignal;
  ask: (on: ServerConnection, given: Record<string, unknown>, options: AskOptions) => Promise<Answer>;
}

interface AskOptions {
  signal: AbortSignal;
  timeout: number;
}

/** Throws `run_refused`, `too_large`, `too_many_requests`, `rate_limit_exceeded`, `guardrail_blocked`, `server_unavailable`, and what `ask` throws. */
export async function askServer<Answer extends object>(
  parts: ToolParts,
  asked: AskedOfServer<Answer>,
): Promise<Answer> {
  const { db } = parts;
  const { caller, usable, what, signal } = asked;
  const { server, upstream } = usable;
  const limits = await settings(db);
  if (Buffer.byteLength(JSON.stringify(asked.arguments)) > limits.tool_arguments_kb * 1024)
    throw new Problem('too_large', { detail: `The arguments have at most ${limits.tool_arguments_kb} kB.` });
  if (caller.run === undefined)
    throw new Problem('run_refused', { detail: 'A server is asked in a run: send the X-Svc-Run of the call.' });
  const { user, through } = await delegationOfAgent({ db, isOpen: async (run) => await isOpenRun(db, run) }, caller);
  const id = randomUUID();
  const guarded = await guardTool(parts, { ...asked, team: upstream.asset.team });
  const spanned = { ...asked, server: server.name, tool: what, user_id: user.id, call_id: id };
  const span = openToolSpan(parts.spans, spanned);
  let isSent = false;
  let declined = 0;
  try {
    const of_run = {
      agent_id: caller.id,
      revision_id: caller.revision_id,
      run_id: caller.run.run_id,
      caller_id: user.id,
    };
    const of_server = { server: upstream.ref, server_version: server.version, tool: what };
    await beginCall(parts, {
      id,
      rate: upstream.config.rate,
      at_once: limits.tool_calls_at_once,
      call: { ...of_run, ...of_server, arguments_digest: digestOf(asked.arguments) },
    });
    const given = await guardedArguments(guarded, asked.arguments);
    if (given !== asked.arguments) await store.setArguments(db, id, digestOf(given));
    await requireCredential(parts, { caller, user, usable });
    const behalf = { user, through: through.chain };
    const answer = await onServer(parts, { usable, caller, behalf, signal }, async (connection) => {
      isSent = true;
      const options = { signal, timeout: limits.tool_call_seconds * 1000 };
      const before = connection.declined();
      const { conceal } = connection;
      const asking = named({ upstream, conceal }, async () => await asked.ask(connection, given, options));
      const text = JSON.stringify(await asking.finally(() => (declined = connection.declined() - before)));
      return JSON.parse(conceal(text)) as Answer; // the same with other texts
    });
    if (Buffer.byteLength(JSON.stringify(answer)) > limits.tool_result_kb * 1024)
      throw new Problem('server_unavailable', {
        detail: `${upstream.ref} answered with more than ${limits.tool_result_kb} kB.`,
      });
    const result = await guardedTexts(guarded, answer);
    await store.end(db, id, { outcome: 'answered', result_digest: digestOf(result), problem: null });
    span.end(null, {
      result: { content: [{ type: 'text', text: JSON.stringify(result) }] },
      done: guarded?.done,
      declined,
    });
    return result;
  } catch (error) {
    const problem = error instanceof Problem ? error.code : 'internal';
    span.end(problem, { done: guarded?.done, declined });
    const outcome = isSent && problem !== 'tool_changed' ? 'failed' : 'refused';
    await store.end(db, id, { outcome, result_digest: null, problem });
    throw error;
  } finally {
    parts.open_calls.remove(id);
  }
}
