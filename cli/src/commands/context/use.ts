import { Problem } from '@gantry/contract/problems.ts';
import { defineCommand, required } from '../../command.ts';
import { activeTeam, setActiveTeam } from '../../session/context.ts';
import { misuse } from '../../refusal.ts';
import type { Session } from '../../session/session.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'context use',
  summary: 'Act for this team from now on',
  needs: 'session.read',
  examples: ['svc context use ml', 'svc context use default'],
  arguments: { name: required('The team') },
  flags: {},
  async run({ name }, session) {
    const before = activeTeam(session.config, session.origin);
    await checkTeam(session, name);
    setActiveTeam(session.config, session.origin, name);
    return {
      data: { team: name },
      view: [line(good('✓ '), `You act for team ${name} on ${session.server}`)],
      undo: before === undefined ? 'svc context clear' : `svc context use ${before}`,
    };
  },
});

/** Asked without the previous context, which can be a removed team. */
async function checkTeam(session: Session, name: string): Promise<void> {
  const token = (await session.token())?.token;
  const { role, teams } = await session.callWith(token, 'auth.me', {});
  if (teams.some((team) => team.name === name)) return;
  // A platform admin may act for every team.
  const isAdmin = role === 'admin';
  if (isAdmin && (await isThere(session, token, name))) return;
  const yours = teams.map((team) => team.name).join(', ');
  throw misuse(
    isAdmin ? `There is no team called ${name}` : `You are not in a team called ${name}`,
    yours === ''
      ? 'You are in no team yet; an admin adds you with `svc team add`.'
      : `Yours: ${yours}.${isAdmin ? ' All of them: `svc team list`. Create it: `svc team create`.' : ''}`,
  );
}

async function isThere(session: Session, token: string | undefined, name: string): Promise<boolean> {
  try {
    await session.callWith(token, 'teams.show', { params: { team: name } });
    return true;
  } catch (error) {
    if (error instanceof Problem && (error.code === 'not_found' || error.code === 'invalid')) return false;
    throw error;
  }
}
