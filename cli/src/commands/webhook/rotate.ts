import { defineCommand, required, whole } from '../../command.ts';
import { secretLine } from '../../describe-webhook.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'webhook rotate',
  summary: 'A new secret, printed once; the one before signs too until the overlap is over',
  needs: 'webhook.change',
  examples: ['svc webhook rotate siem', 'svc webhook rotate siem --overlap-hours 0'],
  arguments: { name: required('Its name') },
  flags: {
    overlapHours: whole('How long both sign; 24 unless told, 0 when the secret leaked', 'hours', {
      least: 0,
      most: 168,
    }),
  },
  async run({ name, overlapHours: overlap_hours }, session) {
    const webhook = await session.call('webhooks.rotate', {
      params: { name },
      body: overlap_hours === undefined ? {} : { overlap_hours },
    });
    const until = webhook.previous_secret_until;
    const before = until === null ? 'the one before signs nothing more' : `the one before signs too until ${until}`;
    return {
      data: webhook,
      view: [line(good('✓ '), `${name} has a new secret; ${before}`), ...secretLine(webhook.secret)],
    };
  },
});
