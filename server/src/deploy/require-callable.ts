// The checks of a call before its container is known: first the ACL's `use`, then allowed_callers, which can only narrow it.
import { Problem } from '@gantry/contract/problems.ts';
import { Refusal, authorize } from '../access/authorize.ts';
import type { SignedInCaller } from '../access/caller.ts';
import type { AssetRecord } from '../registry/find.ts';
import { isAllowedCaller, notAllowed } from './allowed-callers.ts';

/** `serving` is undefined for an agent that is not deployed. Throws the refusal, or `not_deployed`. */
export function requireCallable<S extends { allowed_teams: string[] | undefined; desired: string }>(
  user: SignedInCaller,
  agent: AssetRecord,
  serving: S | undefined,
): asserts serving is S {
  authorize(user, 'asset.invoke', agent);
  const { name } = agent;
  if (serving === undefined) throw new Problem('not_deployed', { detail: `agents/${name} is not deployed.` });
  const { allowed_teams, desired } = serving;
  if (!isAllowedCaller(user, agent, allowed_teams))
    throw new Refusal({ code: 'forbidden', reason: notAllowed(agent, allowed_teams) }, 'asset.invoke', agent);
  if (desired === 'stopped')
    throw new Problem('not_deployed', { detail: `agents/${name} is stopped.`, hint: `Run \`svc start ${name}\`.` });
}
