import { defineCommand, required } from '../../command.ts';
import { findGroup } from '../../principals/people.ts';
import { fields, table, time } from '../../view/view.ts';

export const command = defineCommand({
  words: 'group show',
  summary: 'A group and its members',
  needs: 'group.read',
  examples: ['svc group show oncall', 'svc group show oncall --json'],
  arguments: { name: required('The group') },
  flags: {},
  async run({ name }, session) {
    const group = await findGroup(session, name);
    return {
      data: group,
      view: [
        fields({
          Group: group.name,
          Team: group.team,
          Description: group.description === '' ? undefined : group.description,
          Created: time(group.created_at),
        }),
        table(
          ['member'],
          group.members.map(({ email }) => [`user:${email}`]),
          `No members yet. Add one: svc group add ${group.name} user:<e-mail>`,
        ),
      ],
    };
  },
});
