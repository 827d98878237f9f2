import { defineCommand, toggle } from '../../command.ts';
import { describeSettings, readSettings } from '../../server/settings.ts';

export const command = defineCommand({
  words: 'server settings',
  summary: 'The settings of the service on this machine, without the values of secrets',
  needs: 'this machine',
  examples: ['svc server settings', 'svc server settings --all'],
  arguments: {},
  flags: { all: toggle('Also those that have their default, with their meaning') },
  async run({ all }, session) {
    const read = await readSettings(session);
    return {
      data: read,
      view: describeSettings(read, all),
      next: [{ command: 'svc server set <NAME>=<value>', when: 'to change one' }],
    };
  },
});
