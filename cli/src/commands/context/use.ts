import { defineCommand, required } from '../../command.ts';
import { activeTeam, setActiveTeam } from '../../context.ts';
import { misuse } from '../../refusal.ts';
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
    await checkTeam(name, async () => await session.callWith((await session.token())?.token, 'auth.me', {}));
    setActiveTeam(session.config, session.origin, name);
    return {
      data: { team: name },
      view: [line(good('✓ '), `You act for team ${name} on ${session.server}`)],
      undo: before === undefined ? 'svc context clear' : `svc context use ${before}`,
    };
  },
});

/** A platform admin may act for any team, so only the service can tell whether theirs exists; for others their list is all. */
async function checkTeam(
  name: string,
  whoAmI: () => Promise<{ role: string; teams: { name: string }[] }>,
): Promise<void> {
  const { role, teams } = await whoAmI();
  if (role === 'admin' || teams.some((team) => team.name === name)) return;
  const yours = teams.map((team) => team.name).join(', ');
  throw misuse(
    `You are not in a team called ${name}`,
    yours === '' ? 'You are in no team yet; an admin adds you with `svc team add`.' : `Yours: ${yours}.`,
  );
}
