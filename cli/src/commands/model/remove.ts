import { defineCommand, required, text, toggle } from '../../command.ts';
import { confirmFinal, yesFlag } from '../../input/confirm-final.ts';
import { misuse } from '../../refusal.ts';
import { suggestAsset } from '../../registry/named.ts';
import type { Session } from '../../session/session.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'model remove',
  summary: 'Remove a model that nothing uses; the secret with its credential stays',
  needs: 'asset.delete',
  examples: ['svc model remove gpt-4o --yes', 'svc model remove gpt-4o --force --reason "its contract has ended"'],
  arguments: { name: required('Its name', 'model') },
  flags: {
    yes: yesFlag,
    force: toggle('Also while agents call it; their calls then fail'),
    reason: text('Why, for the audit log; needed with --force', 'text'),
  },
  async run({ name, yes, force, reason }, session) {
    if (force !== (reason !== undefined)) throw misuse('--force and --reason go together');
    const params = { kind: 'model', name } as const;
    const { team, upstreams, own_price } = await suggestAsset(session, 'model', name, () =>
      session.call('models.show', { params: { name } }),
    );
    await confirmFinal(session, {
      yes,
      deed: `Remove models/${name}${force ? await whoBreaks(session, name) : ''}`,
      otherwise: `models/${name} was not removed`,
    });
    await session.call('registry.delete', {
      params,
      query: { force: force ? 'true' : 'false', ...(reason === undefined ? {} : { reason }) },
    });
    const secrets = [...new Set(upstreams.flatMap(({ secret }) => secret ?? []))];
    return {
      data: { name },
      view: [
        line(good('✓ '), `models/${name} no longer exists`),
        ...(own_price === null
          ? []
          : [line('  ', 'Its own price is gone with it: a model that gets this name does not have it')]),
      ],
      next: secrets.map((secret) => ({
        command: `svc secret remove ${secret} --team ${team}`,
        when: 'if no other model uses it',
      })),
    };
  },
});

async function whoBreaks(session: Session, name: string): Promise<string> {
  const { assets, settings, hidden } = await session.call('registry.used_by', { params: { kind: 'model', name } });
  const users = [...assets, ...settings, ...(hidden === 0 ? [] : [`${hidden} that you may not read`])];
  return users.length === 0 ? '' : `, which ${users.join(', ')} then cannot call`;
}
