import { defineCommand } from '../../../command.ts';
import { baseArgument } from '../../../knowledge/asset.ts';
import { describeUpkeep } from '../../../knowledge/describe-upkeep.ts';

export const command = defineCommand({
  words: 'kb hook show',
  summary: 'When a knowledge base is refreshed: its hook, its schedule, and its last refresh',
  needs: 'asset.read',
  examples: ['svc kb hook show handbook', 'svc kb hook show handbook --json'],
  arguments: { base: baseArgument },
  flags: {},
  async run({ base: name }, session) {
    const upkeep = await session.call('knowledge.upkeep', { params: { name } });
    const next = { command: `svc kb hook create ${name}`, when: 'to refresh it when its source has changed' };
    return { data: upkeep, view: describeUpkeep(upkeep), next: upkeep.hook === null ? [next] : [] };
  },
});
