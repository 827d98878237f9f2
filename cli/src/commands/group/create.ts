import { defineCommand, required, text } from '../../command.ts';
import { teamToOwn } from '../../principals/team-to-own.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'group create',
  summary: 'Create a group of users of a team',
  needs: 'group.change',
  examples: ['svc group create oncall --team ml', 'svc group create oncall --team ml --description "People on call"'],
  arguments: { name: required('Lower-case letters, digits and hyphens; unique in the organisation') },
  flags: {
    description: text('Its purpose', 'text'),
  },
  async run({ name, description = '' }, session) {
    const team = await teamToOwn(session);
    const group = await session.call('groups.create', { body: { name, team, description } });
    return {
      data: group,
      view: [line(good('✓ '), `group:${group.name} exists in team ${group.team}`)],
      undo: `svc group delete ${group.name}`,
      next: [{ command: `svc group add ${group.name} user:<e-mail>`, when: 'to add a member' }],
    };
  },
});
