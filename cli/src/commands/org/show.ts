import { printSetting } from '@gantry/contract/people/org.ts';
import { defineCommand } from '../../command.ts';
import { table } from '../../view/view.ts';

export const command = defineCommand({
  words: 'org show',
  summary: "The organisation's settings, and where each is set",
  needs: 'org.read',
  examples: ['svc org show', 'svc org show --json'],
  arguments: {},
  flags: {},
  async run(_input, session) {
    const org = await session.call('org.show', {});
    return {
      data: org,
      view: [
        table(
          ['setting', 'value', 'set in'],
          Object.entries(org.settings).map(([name, value]) => [
            name,
            printSetting(value),
            org.set_in_file.includes(name) ? (org.file ?? 'the settings file') : 'svc org set',
          ]),
          'No settings.',
        ),
      ],
    };
  },
});
