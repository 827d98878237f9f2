import type { PushedSkill } from '@gantry/contract/assets/registry.ts';
import type { Visibility } from '@gantry/contract/roles.ts';
import { teamToOwn } from '../principals/team-to-own.ts';
import { pack } from '../project/pack.ts';
import { leftOutNotices } from '../project/read-project.ts';
import type { Session } from '../session/session.ts';
import type { LocalSkill } from './read-skill-folder.ts';

interface Wishes {
  version: string | undefined;
  message: string | undefined;
  visibility: Visibility | undefined;
  owner: string | undefined;
}

export async function pushSkill(session: Session, skill: LocalSkill, wishes: Wishes): Promise<PushedSkill> {
  for (const notice of leftOutNotices(skill)) session.output.notice(notice);
  const { version, message, visibility, owner } = wishes;
  const packed = await pack(skill);
  return await session.call('skills.push', {
    params: { name: skill.name },
    query: {
      // The service asks only for that of a new skill.
      team: await teamToOwn(session),
      ...(version === undefined ? {} : { version }),
      ...(message === undefined ? {} : { message }),
      ...(visibility === undefined ? {} : { visibility }),
      ...(owner === undefined ? {} : { owner }),
    },
    body: packed,
  });
}
