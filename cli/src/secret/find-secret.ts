import { Problem } from '@gantry/contract/problems.ts';
import type { Secret } from '@gantry/contract/assets/secrets.ts';
import { CliRefusal } from '../refusal.ts';
import type { Session } from '../session/session.ts';

/** By its name, in the scope of --team or --agent. Without both, the name must be unique among those that the caller sees. */
export async function findSecret(session: Session, name: string, agent: string | undefined): Promise<Secret> {
  const { team } = session.globals;
  const query = { name, limit: 5, ...(agent === undefined ? {} : { agent }), ...(team === undefined ? {} : { team }) };
  const [found, ...others] = (await session.call('secrets.list', { query })).items;
  if (found === undefined)
    throw new Problem('not_found', {
      detail: `There is no secret ${name}${agent === undefined ? '' : ` of agents/${agent}`} that you may see`,
      hint: 'List them: svc secret list',
    });
  if (others.length > 0)
    throw new CliRefusal('ambiguous', `More than one secret has the name ${name}`, {
      hint: 'Name its scope with --team or --agent.',
      faults: [found, ...others].map((each) => ({ message: describeScope(each) })),
    });
  return found;
}

export function describeScope({ team, agent }: Pick<Secret, 'team' | 'agent'>): string {
  return agent === null ? `team:${team ?? ''}` : `agents/${agent}`;
}

/** The flag of its scope, for a command to copy. */
export function scopeFlag({ team, agent }: Pick<Secret, 'team' | 'agent'>): string {
  return agent === null ? `--team ${team ?? ''}` : `--agent ${agent}`;
}
