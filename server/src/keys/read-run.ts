import { Problem } from '@gantry/contract/problems.ts';
import type { KeyCaller } from '../access/caller.ts';
import type { RequestHeaders } from '../http/request-headers.ts';
import { readRunToken, type RunClaims, type RunKey } from '../run-token.ts';

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
