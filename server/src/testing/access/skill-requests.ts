// Each request is about a skill of its own.
import { skillOf } from '../pushes/project-archive.ts';
import type { TestUser } from '../test-app.ts';
import type { Actor, Look } from './route-table.ts';

interface By {
  owner: () => TestUser;
  fresh: (word: string) => string;
  isMachine: (actor: Actor) => boolean;
}

export function skillRequests({ owner, fresh, isMachine }: By) {
  return {
    'skills.push': async (_: unknown, look: Look, actor: Actor) => {
      const name = fresh('skill');
      const query = { team: 'ml', visibility: look === 'team' ? 'team' : 'org' } as const;
      const { client, email } = owner();
      if (look !== 'new') await client.call('skills.push', { params: { name }, query, body: skillOf({ name }) });
      const owned: Record<string, string> = isMachine(actor) ? { owner: email } : {};
      const body = await new Response(skillOf({ name })).blob();
      return { params: { name }, query: { ...query, ...owned, version: '1.1.0' }, body };
    },
  };
}
