// The checks of a call before its container is known: first the ACL's `use`, then allowed_callers, which can only narrow it.
import { Problem } from '@gantry/contract/problems.ts';
import { Refusal, authorize } from '../../../governance/access/authorize.ts';
import type { SignedInCaller } from '../../../governance/access/caller.ts';
import { decideUse, type CallingAsset } from '../../../governance/access/decide.ts';
import type { AssetRecord } from '../../../assets/registry/find.ts';
import { isAllowedCaller, isAllowedTeam, notAllowed } from './allowed-callers.ts';

/** `serving` is undefined for an agent that is not deployed. Throws the refusal, or `not_deployed`. */
export function requireCallable<S extends { allowed_teams: string[] | undefined; desired: string }>(
  user: SignedInCaller,
  agent: AssetRecord,
  serving: S | undefined,
): asserts serving is S {
  authorize(user, 'asset.invoke', agent);
  requireDeployed(agent, serving);
  const { allowed_teams } = serving;
  if (!isAllowedCaller(user, agent, allowed_teams))
    throw new Refusal({ code: 'forbidden', reason: notAllowed(agent, allowed_teams) }, 'asset.invoke', agent);
  requireStarted(agent, serving);
}

/** The same for a call that another asset sends. Its team must be an allowed caller. */
export function requireCallableBy<S extends { allowed_teams: string[] | undefined; desired: string }>(
  by: CallingAsset,
  agent: AssetRecord,
  serving: S | undefined,
): asserts serving is S {
  const decision = decideUse(by, agent);
  if (!decision.allowed) throw new Refusal(decision, 'asset.invoke', agent);
  requireDeployed(agent, serving);
  const { allowed_teams } = serving;
  if (!isAllowedTeam(by.team.name, allowed_teams))
    throw new Refusal({ code: 'forbidden', reason: notAllowed(agent, allowed_teams) }, 'asset.invoke', agent);
  requireStarted(agent, serving);
}

function requireDeployed<S>({ ref }: AssetRecord, serving: S | undefined): asserts serving is S {
  if (serving === undefined) throw new Problem('not_deployed', { detail: `${ref} is not deployed.` });
}

function requireStarted({ ref, name }: AssetRecord, { desired }: { desired: string }): void {
  if (desired === 'stopped')
    throw new Problem('not_deployed', { detail: `${ref} is stopped.`, hint: `Run \`svc start ${name}\`.` });
}
