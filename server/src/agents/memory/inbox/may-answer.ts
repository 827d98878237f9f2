// Who may answer a waiting run: its caller, and those whom `access.may_answer` of the serving version names. An answerer needs no `use`, because the
// run goes on as its caller.
import { isNamed } from '@gantry/contract/agents/answerers.ts';
import type { SignedInCaller } from '../../../governance/access/caller.ts';
import { decide, effectiveRole } from '../../../governance/access/decide.ts';
import type { AssetRecord } from '../../../assets/registry/find.ts';

export function mayAnswer(user: SignedInCaller, agent: AssetRecord, may_answer: readonly string[]): boolean {
  // Nobody answers for an agent that is hidden from them.
  if (user.kind !== 'user' || !decide(user, 'asset.read', agent).allowed) return false;
  const isMember = user.memberships.some(({ team_id }) => team_id === agent.team.id);
  return isNamed(may_answer, {
    email: user.email,
    teams: user.memberships.map(({ team }) => team),
    role: isMember || user.role === 'admin' ? effectiveRole(user, agent.team.id) : undefined,
  });
}
