import { defineCommand, required } from '../../command.ts';
import { exitCodes } from '../../exit-codes.ts';
import { testLines } from '../../model/describe-model.ts';
import { suggestAsset } from '../../registry/named.ts';

export const command = defineCommand({
  words: 'model test',
  summary: 'Make one small call at each upstream, which its team pays; exit 1 when one does not answer',
  needs: 'asset.write',
  examples: ['svc model test gpt-4o', 'svc model test gpt-4o --json'],
  arguments: { name: required('Its name', 'model') },
  flags: {},
  async run({ name }, session) {
    const tests = await suggestAsset(session, 'model', name, () => session.call('models.test', { params: { name } }));
    return {
      data: tests,
      view: testLines(name, tests),
      exit: tests.every(({ works }) => works) ? exitCodes.done : exitCodes.refused,
    };
  },
});
