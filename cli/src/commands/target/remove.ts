import { defineCommand, required } from '../../command.ts';
import { confirmFinal, yesFlag } from '../../input/confirm-final.ts';
import { suggestAsset } from '../../registry/named.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'target remove',
  summary: 'Remove a target without agents, with its credential; its machine stays as it is',
  needs: 'target.change',
  examples: ['svc target remove gpu-box', 'svc target remove gpu-box --yes'],
  arguments: { name: required('Its name', 'target') },
  flags: { yes: yesFlag },
  async run({ name, yes }, session) {
    const params = { kind: 'target', name } as const;
    await suggestAsset(session, 'target', name, () => session.call('registry.show', { params }));
    const words = { deed: `Remove targets/${name}`, otherwise: `targets/${name} was not removed` };
    await confirmFinal(session, { yes, ...words });
    await session.call('registry.delete', { params, query: { force: 'false' } });
    return { data: { name }, view: [line(good('✓ '), `targets/${name} no longer exists`)] };
  },
});
