import type { Endpoint } from '@gantry/contract/endpoint.ts';
import { Problem, type ProblemCode } from '@gantry/contract/problems.ts';
import { Refusal } from '../../access/authorize.ts';
import { theOrg } from '../../access/subject.ts';
import type { Sender } from '../request/session-cookie.ts';
import { usedWay, type Surface, type Ways } from '../surface.ts';

const refused_at_sign_in = new Set<ProblemCode>([
  'invalid_api_key',
  'not_in_team',
  'password_change_required',
  'cross_site',
  'https_required',
]);

/** A failed authentication is recorded as well: an invalid token or gateway key, a page of another site, or a team of other users. */
export function refusedSignIn(
  ways: Partial<Ways>,
  route: { endpoint: Endpoint; surface: Surface } | undefined,
  sender: Sender,
  error: unknown,
): unknown {
  if (route === undefined || error instanceof Refusal || !(error instanceof Problem)) return error;
  const presented = usedWay(ways, route.surface, sender) !== undefined;
  const isRefused = refused_at_sign_in.has(error.code) || (error.code === 'unauthenticated' && presented);
  if (!isRefused) return error;
  const { code, detail: reason, hint } = error;
  return new Refusal({ code, reason, ...(hint === undefined ? {} : { hint }) }, route.endpoint.operation, theOrg);
}
