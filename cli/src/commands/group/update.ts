import { defineCommand, required, text } from '../../command.ts';
import { findGroup } from '../../principals/people.ts';
import { misuse } from '../../refusal.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'group update',
  summary: 'Change the name or the description of a group',
  needs: 'group.change',
  examples: ['svc group update oncall --name responders', 'svc group update oncall --description "On call this week"'],
  arguments: { group: required('The group') },
  flags: { name: text('Its new name', 'name'), description: text('Its purpose', 'text') },
  async run({ group: given, name, description }, session) {
    if (name === undefined && description === undefined)
      throw misuse('Nothing to change', 'Give --name or --description.');
    const before = await findGroup(session, given);
    const group = await session.call('groups.update', {
      params: { id: before.id },
      body: { ...(name === undefined ? {} : { name }), ...(description === undefined ? {} : { description }) },
    });
    const back = [
      ...(group.name === before.name ? [] : [`--name ${before.name}`]),
      ...(group.description === before.description ? [] : [`--description ${JSON.stringify(before.description)}`]),
    ];
    return {
      data: group,
      view: [line(good('✓ '), `group:${group.name} of team ${group.team}: ${group.description || 'no description'}`)],
      ...(back.length === 0 ? {} : { undo: `svc group update ${group.name} ${back.join(' ')}` }),
    };
  },
});
