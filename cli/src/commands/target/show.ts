import { defineCommand, required } from '../../command.ts';
import { describeTarget } from '../../target/describe-target.ts';

export const command = defineCommand({
  words: 'target show',
  summary: 'A target: its address, its credential by date, and the agents on it',
  needs: 'target.list',
  examples: ['svc target show local', 'svc target show gpu-box --json'],
  arguments: { name: required('Its name', 'target') },
  flags: {},
  async run({ name }, session) {
    const target = await session.call('targets.show', { params: { name } });
    return { data: target, view: describeTarget(target) };
  },
});
