import { defineCommand, required } from '../../command.ts';
import { confirmFinal, yesFlag } from '../../input/confirm-final.ts';
import { suggestAsset } from '../../registry/named.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'model remove',
  summary: 'Remove a model that nothing refers to; the secret with its credential stays',
  needs: 'asset.delete',
  examples: ['svc model remove gpt-4o', 'svc model remove gpt-4o --yes'],
  arguments: { name: required('Its name', 'model') },
  flags: { yes: yesFlag },
  async run({ name, yes }, session) {
    const params = { kind: 'model', name } as const;
    const { team, upstreams } = await suggestAsset(session, 'model', name, () =>
      session.call('models.show', { params: { name } }),
    );
    await confirmFinal(session, {
      yes,
      deed: `Remove models/${name}, which agents then cannot call`,
      otherwise: `models/${name} was not removed`,
    });
    await session.call('registry.delete', { params });
    const secrets = [...new Set(upstreams.flatMap(({ secret }) => secret ?? []))];
    return {
      data: { name },
      view: [line(good('✓ '), `models/${name} no longer exists`)],
      next: secrets.map((secret) => ({
        command: `svc secret remove ${secret} --team ${team}`,
        when: 'if no other model uses it',
      })),
    };
  },
});
