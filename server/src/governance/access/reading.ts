// Who reads the costs and the log of a team: by role its admins, by grant also others. decide() and the lists ask here, nowhere else.
import type { ReadingRight } from '@gantry/contract/roles.ts';
import type { HeldGrant, SignedInCaller } from './caller.ts';

/** The grant on the team or on the organisation. `team_id` is null for the whole organisation. */
export function grantFor(
  { reading }: Pick<SignedInCaller, 'reading'>,
  right: ReadingRight,
  team_id: string | null,
): HeldGrant | undefined {
  const held = reading.filter((grant) => grant.right === right);
  return (
    held.find((grant) => grant.team_id === null) ?? held.find((grant) => team_id !== null && grant.team_id === team_id)
  );
}

/** The ids of the teams whose costs or log the caller may read, by role or by grant; `all` for those of the organisation. */
export function teamsToRead(caller: SignedInCaller, right: ReadingRight): 'all' | string[] {
  if (caller.role === 'admin' || grantFor(caller, right, null) !== undefined) return 'all';
  const led = caller.memberships.filter(({ role }) => role === 'admin').map(({ team_id }) => team_id);
  const granted = caller.reading.flatMap((grant) => (grant.right === right ? (grant.team_id ?? []) : []));
  return [...new Set([...led, ...granted])];
}

/** In words: `grant read_costs on team:ml`. */
export function describeGrant({ right, team_id }: HeldGrant, team: string | undefined): string {
  return `grant ${right} on ${team_id === null ? 'the organisation' : `team:${team ?? team_id}`}`;
}

/** For the words of a refusal: the command that gives the grant, and who may run it. */
export function howToGet(right: ReadingRight, principal: string, team: string | null): { whom: string; ask: string } {
  const [whom, where] = team === null ? ['a platform admin', '--org'] : [`an admin of team:${team}`, `--team ${team}`];
  return { whom, ask: `svc grant ${right.replace('_', '-')} --to ${principal} ${where}` };
}
