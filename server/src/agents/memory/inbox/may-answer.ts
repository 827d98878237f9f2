// Who may answer a waiting run: its caller, and those whom `access.may_answer` of the serving version names. An answerer needs no `use`, because the
// run goes on as its caller.
import { isNamed } from '@gantry/contract/agents/answerers.ts';
import type { Membership, SignedInCaller } from '../../../governance/access/caller.ts';
import { decide, effectiveRole, type Roles } from '../../../governance/access/decide.ts';
import type { AssetRecord } from '../../../assets/registry/find.ts';

export function mayAnswer(user: SignedInCaller, agent: AssetRecord, may_answer: readonly string[]): boolean {
  // Nobody answers for an agent that is hidden from them.
  if (user.kind !== 'user' || !decide(user, 'asset.read', agent).allowed) return false;
  return isAnswerer(user, agent.team.id, may_answer);
}

interface Answerer extends Roles {
  email: string;
  memberships: readonly Membership[];
}

/** The names alone. `team_id` is the team of the agent. */
export function isAnswerer(person: Answerer, team_id: string, may_answer: readonly string[]): boolean {
  const isMember = person.memberships.some((one) => one.team_id === team_id);
  return isNamed(may_answer, {
    email: person.email,
    teams: person.memberships.map(({ team }) => team),
    role: isMember || person.role === 'admin' ? effectiveRole(person, team_id) : undefined,
  });
}
