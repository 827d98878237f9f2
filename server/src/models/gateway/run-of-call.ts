import type { KeyCaller } from '../../governance/access/caller.ts';
import type { RequestHeaders } from '../../governance/http/request/request-headers.ts';
import { readRun } from '../keys/calls/read-run.ts';
import type { RunOfCall } from '../ledger/books.ts';
import type { RunKey } from '../../ground/run-token.ts';
import type { TraceContext } from '../../ground/trace-context.ts';

export interface GatewayRun extends RunOfCall {
  /** The revision of the run's agent. */
  revision_id: string | null;
}

/** The values for a call that no run makes. */
export const noRun = { revision_id: null, run_id: null, root_run_id: null, caller_id: null, trace_id: null };

/**
 * The run that the sender's token names. Without a token and after its time, the key's holder calls for itself. Throws `run_refused` for a
 * token that is not of this key's revision, so that nothing is charged to another run.
 */
export function runOfCall(
  run_key: RunKey,
  { caller, headers, trace }: { caller: KeyCaller; headers: RequestHeaders; trace: TraceContext },
): GatewayRun {
  const read = readRun(run_key, caller, headers);
  if (read === undefined || read.is_expired) return { ...noRun, trace_id: trace.trace_id };
  const { revision_id, run_id, root_run_id, caller_id, trace_id } = read.claims;
  return { revision_id, run_id, root_run_id, caller_id, trace_id };
}
