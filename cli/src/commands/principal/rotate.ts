import { defineCommand, duration, required } from '../../command.ts';
import { describeKey } from '../../principals/describe-principal.ts';
import { findPrincipal } from '../../principals/people.ts';
import { good, line, time } from '../../view/view.ts';

export const command = defineCommand({
  words: 'principal rotate',
  summary: 'Give a service principal a new key; the previous one ends at once, or after a grace',
  needs: 'principal.change',
  examples: ['svc principal rotate ci', 'svc principal rotate ci --grace 24h'],
  arguments: { name: required('The service principal') },
  flags: {
    grace: duration('How long the previous key keeps working (default 0)', 2_592_000),
  },
  async run({ name, grace = 0 }, session) {
    const { id } = await findPrincipal(session, name);
    const principal = await session.call('principals.rotate_key', { params: { id }, body: { grace_seconds: grace } });
    const old = principal.keys.find(({ ends_at }) => ends_at !== null);
    return {
      data: principal,
      view: [
        line(
          good('✓ '),
          `principal:${principal.name} has a new key; `,
          ...(old === undefined ? ['the previous one has ended'] : ['the previous one ends ', time(old.ends_at)]),
        ),
        ...describeKey(principal.key),
      ],
    };
  },
});
