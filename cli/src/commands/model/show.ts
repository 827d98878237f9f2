import { defineCommand, required } from '../../command.ts';
import { describeModel } from '../../model/describe-model.ts';
import { suggestAsset } from '../../registry/named.ts';

export const command = defineCommand({
  words: 'model show',
  summary: 'A model: its upstreams with their state, its price, aliases and fallbacks',
  needs: 'asset.read',
  examples: ['svc model show gpt-4o', 'svc model show gpt-4o --json'],
  arguments: { name: required('Its name', 'model') },
  flags: {},
  async run({ name }, session) {
    const model = await suggestAsset(session, 'model', name, () => session.call('models.show', { params: { name } }));
    return {
      data: model,
      view: describeModel(model),
      next: [{ command: `svc registry model show ${name} --yaml`, when: 'to see its config' }],
    };
  },
});
