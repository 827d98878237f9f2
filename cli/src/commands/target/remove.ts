import { defineCommand, required, text, toggle } from '../../command.ts';
import { confirmFinal, yesFlag } from '../../input/confirm-final.ts';
import { misuse } from '../../refusal.ts';
import { suggestAsset } from '../../registry/named.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'target remove',
  summary: 'Remove a target without agents, with its credential; its machine stays as it is',
  needs: 'target.change',
  examples: ['svc target remove gpu-box', 'svc target remove gpu-box --force --reason "the cluster is gone"'],
  arguments: { name: required('Its name', 'target') },
  flags: {
    yes: yesFlag,
    force: toggle('Also with leftovers of agents, which stay there: for a target that never answers again'),
    reason: text('Why, for the audit log; needed with --force', 'text'),
  },
  async run({ name, yes, force, reason }, session) {
    if (force !== (reason !== undefined)) throw misuse('--force and --reason go together');
    const params = { kind: 'target', name } as const;
    await suggestAsset(session, 'target', name, () => session.call('registry.show', { params }));
    const words = { deed: `Remove targets/${name}`, otherwise: `targets/${name} was not removed` };
    await confirmFinal(session, { yes, ...words });
    await session.call('registry.delete', {
      params,
      query: { force: force ? 'true' : 'false', ...(reason === undefined ? {} : { reason }) },
    });
    return { data: { name }, view: [line(good('✓ '), `targets/${name} no longer exists`)] };
  },
});
