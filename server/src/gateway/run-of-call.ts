import { Problem } from '@gantry/contract/problems.ts';
import type { KeyCaller } from '../access/caller.ts';
import type { RequestHeaders } from '../http/request-headers.ts';
import type { RunOfCall } from '../ledger/books.ts';
import { readRunToken, type RunClaims } from '../run-token.ts';
import type { TraceContext } from '../trace-context.ts';

export interface GatewayRun extends RunOfCall {
  /** Of the run's agent. */
  revision_id: string | null;
}

/** Of a call that no run makes. */
export const noRun = { revision_id: null, run_id: null, root_run_id: null, caller_id: null, trace_id: null };

/**
 * The run that the sender's token names. Without a token and after its time, the key's holder calls for itself. Throws `run_refused` for a
 * token that is not of this key's revision, so that nothing is charged to another run.
 */
export function runOfCall(
  run_key: Buffer,
  { caller, headers, trace }: { caller: KeyCaller; headers: RequestHeaders; trace: TraceContext },
): GatewayRun {
  const claims = claimsOf(run_key, caller, headers.get('x-svc-run'));
  if (claims === undefined) return { ...noRun, trace_id: trace.trace_id };
  const { revision_id, run_id, root_run_id, caller_id, trace_id } = claims;
  return { revision_id, run_id, root_run_id, caller_id, trace_id };
}

function claimsOf(run_key: Buffer, caller: KeyCaller, token: string | null): RunClaims | undefined {
  if (token === null) return undefined;
  const read = readRunToken(run_key, token);
  if (read === undefined) throw new Problem('run_refused', { detail: 'The service has not signed this X-Svc-Run.' });
  if (read.claims.key_id !== caller.id)
    throw new Problem('run_refused', {
      detail: `This X-Svc-Run is of another agent or revision than ${caller.label}….`,
    });
  return read.is_expired ? undefined : read.claims;
}
