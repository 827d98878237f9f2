// Prompts and resources of a server, for an agent. They pass what a call of a tool passes: use of the server, an open run, the limits, the guardrails, and a row
// before anything goes out. Rules and approvals are about tools.
import { Problem } from '@gantry/contract/problems.ts';
import type { AgentCaller } from '../../governance/access/caller.ts';
import type { TraceContext } from '../../ground/trace-context.ts';
import { delegationOfAgent } from '../delegated-calls/delegation.ts';
import { isOpenRun } from '../invoke/open-run.ts';
import type { UsableServer } from './find-tools.ts';
import type { ToolParts } from './parts.ts';
import { recordedCall } from './recorded-call.ts';
import { requireCredential } from './require-credential.ts';
import { onServer } from './upstream/on-server.ts';
import { named, type ServerConnection } from './upstream/connect.ts';

export interface AskedOfServer<Answer> {
  caller: AgentCaller;
  trace: TraceContext;
  usable: UsableServer;
  /** The method of the protocol, and of a prompt its name. */
  what: string;
  arguments: Record<string, unknown>;
  signal: AbortSignal;
  /** What must hold before the server is asked. */
  require?: (on: ServerConnection) => Promise<void>;
  ask: (on: ServerConnection, given: Record<string, unknown>, options: AskOptions) => Promise<Answer>;
}

interface AskOptions {
  signal: AbortSignal;
  timeout: number;
}

/** Throws `run_refused`, `too_large`, `too_many_requests`, `rate_limit_exceeded`, `guardrail_blocked`, `server_unavailable`, and what `require` and `ask` throw. */
export async function askServer<Answer extends object>(
  parts: ToolParts,
  asked: AskedOfServer<Answer>,
): Promise<Answer> {
  const { db } = parts;
  const { caller, usable, what: tool, signal } = asked;
  const { upstream } = usable;
  if (caller.run === undefined)
    throw new Problem('run_refused', { detail: 'A server is asked in a run: send the X-Svc-Run of the call.' });
  const { user, through } = await delegationOfAgent({ db, isOpen: async (run) => await isOpenRun(db, run) }, caller);
  return await recordedCall(parts, { ...asked, tool, user }, async ({ arguments: given, limits, onSent, ask }) => {
    await requireCredential(parts, { caller, user, usable });
    const behalf = { user, through: through.chain };
    return await onServer(parts, { usable, caller, behalf, signal }, async (connection) => {
      await asked.require?.(connection);
      onSent();
      const options = { signal, timeout: limits.tool_call_seconds * 1000 };
      const asking = async () => await asked.ask(connection, given, options);
      return await ask(connection, async () => await named({ upstream, ...connection }, asking));
    });
  });
}
