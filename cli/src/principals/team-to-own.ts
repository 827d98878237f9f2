import { misuse } from '../refusal.ts';
import type { Session } from '../session/session.ts';

/** The team of --team or of the context, else the active one: it owns the new asset. */
export async function teamToOwn(session: Session): Promise<string> {
  if (session.team !== undefined) return session.team;
  const user = await session.call('auth.me', {});
  const team = user.active_team ?? user.primary_team;
  if (team === null) throw misuse('You are in no team, and an asset needs one', 'Name one with --team.');
  return team;
}
