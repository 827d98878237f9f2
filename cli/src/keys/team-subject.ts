import type { KeyScope } from '@gantry/contract/models/keys.ts';
import { text } from '../command.ts';
import { misuse } from '../refusal.ts';

export const memberFlags = {
  member: text('Of this member: an e-mail address, or principal:<name>', 'member'),
  agent: text('Of this agent', 'name'),
};

interface Subject {
  scope: KeyScope;
  scope_id: string;
  team?: string;
}

/** The team, or the one that a flag names. */
export function subjectOf(
  team: string,
  { member, agent }: { member: string | undefined; agent: string | undefined },
): Subject {
  if (member !== undefined && agent !== undefined) throw misuse('Name --member or --agent, not both');
  if (agent !== undefined) return { scope: 'agent', scope_id: agent };
  if (member === undefined) return { scope: 'team', scope_id: team };
  if (member.startsWith('principal:')) return { scope: 'principal', scope_id: member };
  return { scope: 'user', scope_id: member, team };
}
