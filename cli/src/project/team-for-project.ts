import type { Session } from '../session/session.ts';

/** --team or the context; else the caller's primary team. */
export async function teamForProject(session: Session): Promise<string> {
  if (session.team !== undefined) return session.team;
  const unknown = (why: string): string => {
    session.output.notice(`${why}, so agent.yaml says team "default"; change it there, or use --team.`);
    return 'default';
  };
  if ((await session.token()) === undefined) return unknown('You are not signed in');
  try {
    const user = await session.call('auth.me', {});
    return user.active_team ?? user.primary_team ?? unknown('You are in no team');
  } catch (error) {
    if (error instanceof Error && error.name === 'Unreachable') return unknown(error.message);
    throw error;
  }
}
