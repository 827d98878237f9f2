// What the commands about reading grants share.
import type { ReadingGrant } from '@gantry/contract/people/reading-grants.ts';
import { isEmail, parsePrincipal, printPrincipal } from '@gantry/contract/refs.ts';
import type { ReadingRight } from '@gantry/contract/roles.ts';
import { duration, needed, text, toggle } from '../command.ts';
import { misuse } from '../refusal.ts';
import type { Result } from '../result.ts';
import type { Session } from '../session/session.ts';
import { good, line } from '../view/view.ts';

export const grantFlags = {
  to: needed(
    text('user:<e-mail>, group:<name> or principal:<name>; an e-mail alone is a user', 'who'),
    'Name who gets it: --to fin@example.com',
  ),
  org: toggle('On the whole organisation, not on one team'),
  expiresIn: duration('How long it counts (default without an end)', 3650 * 86_400),
};

/** Without --team and --org nothing is meant: the widest grant is never the default. */
export function scopeOf(org: boolean, team: string | undefined): string | null {
  if (org && team !== undefined)
    throw misuse('--org goes without --team', 'A grant is on one team, or on the whole organisation.');
  if (!org && team === undefined)
    throw misuse('--team is needed', 'Name the team, such as --team ml, or --org for the whole organisation.');
  return team ?? null;
}

/** As the service writes it. */
export function readHolder(given: string): string {
  const ref = parsePrincipal(isEmail(given) ? `user:${given}` : given);
  if (ref === undefined)
    throw misuse(`"${given}" is not a holder`, 'Write fin@example.com, group:finance or principal:export.');
  return printPrincipal(ref);
}

interface Given {
  to: string;
  org: boolean;
  expiresIn: number | undefined;
}

export async function giveGrant(session: Session, right: ReadingRight, { to, org, expiresIn }: Given): Promise<Result> {
  const team = scopeOf(org, session.globals.team);
  const body = { right, principal: readHolder(to), team, expires_in_seconds: expiresIn ?? null };
  const grant = await session.call('grants.create', { body });
  const until = grant.expires_at === null ? '' : ` until ${grant.expires_at.slice(0, 10)}`;
  return {
    data: grant,
    view: [line(good('✓ '), `${grant.principal} now reads the ${whatOf(right)} of ${whereOf(grant)}${until}`)],
    undo: `svc grant remove ${grant.id}`,
  };
}

export const whatOf = (right: ReadingRight): string => (right === 'read_costs' ? 'costs' : 'audit log');
export const whereOf = ({ team }: Pick<ReadingGrant, 'team'>): string =>
  team === null ? 'the organisation' : `team ${team}`;
