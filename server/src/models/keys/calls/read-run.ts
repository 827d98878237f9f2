// Which run a sender works for: the token says it, and only the key of the same revision makes it true. Every call of an agent asks here: of models,
// of spans, and of subagents (agents/delegated-calls/agent-way.ts). It asks no database: whether the run is open is the question of who needs it.
import { Problem } from '@gantry/contract/problems.ts';
import type { KeyCaller } from '../../../governance/access/caller.ts';
import type { RequestHeaders } from '../../../governance/http/request/request-headers.ts';
import { readRunToken, type RunClaims, type RunKey } from '../../../ground/run-token.ts';

/** The run that a request's token names. Undefined without a token. Throws `run_refused` for one that is not of this key's revision. */
export function readRun(
  run_key: RunKey,
  { id, label }: Pick<KeyCaller, 'id' | 'label'>,
  headers: RequestHeaders,
): { claims: RunClaims; is_expired: boolean } | undefined {
  const token = headers.get('x-svc-run');
  if (token === null) return undefined;
  const read = readRunToken(run_key, token);
  if (read === undefined) throw new Problem('run_refused', { detail: 'The service has not signed this X-Svc-Run.' });
  if (read.claims.key_id !== id)
    throw new Problem('run_refused', { detail: `This X-Svc-Run is of another agent or revision than ${label}….` });
  return read;
}

/** The same for spans: a token that does not count names no run. */
export function runOfKey(
  run_key: RunKey,
  { id }: Pick<KeyCaller, 'id'>,
  token: string | undefined,
): RunClaims | undefined {
  const read = token === undefined ? undefined : readRunToken(run_key, token);
  return read === undefined || read.is_expired || read.claims.key_id !== id ? undefined : read.claims;
}
