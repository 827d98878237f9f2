import { defineCommand } from '../../command.ts';
import { baseArgument, snapshotArgument } from '../../knowledge/asset.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'kb serve',
  summary: 'Let a snapshot of a knowledge base serve: a new one, or an older one to go back',
  needs: 'asset.write',
  examples: ['svc kb serve handbook 4', 'svc kb serve handbook 3 --json'],
  arguments: { base: baseArgument, snapshot: snapshotArgument },
  flags: {},
  async run({ base: name, snapshot: number }, session) {
    const served = await session.call('knowledge.serve', { params: { name, number } });
    return { data: served, view: [line(good(`✓ Snapshot ${number} of ${name} is searched from now on`))] };
  },
});
