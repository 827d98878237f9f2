import { defineCommand } from '../../command.ts';
import { verbatim } from '../../view/view.ts';

export const command = defineCommand({
  words: 'audit key',
  summary: 'The public key of the log’s checkpoints, for verifying without the service; keep a copy elsewhere',
  needs: 'audit.verify',
  examples: ['svc audit key > checkpoint-key.pub', 'svc audit key --json'],
  arguments: {},
  flags: {},
  async run(_input, session) {
    const key = await session.call('audit.key', {});
    return { data: key, view: [verbatim(key.public_key.trimEnd())] };
  },
});
