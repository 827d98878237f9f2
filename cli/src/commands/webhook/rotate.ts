import { defineCommand, duration, required } from '../../command.ts';
import { secretLine } from '../../webhook/describe-webhook.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'webhook rotate',
  summary: 'Create a new secret, printed once; the previous one also signs during a grace',
  needs: 'webhook.change',
  examples: ['svc webhook rotate siem', 'svc webhook rotate siem --grace 0'],
  arguments: { name: required('Its name') },
  flags: {
    grace: duration('How long both secrets sign (default 24h); 0 when the old one leaked', 604_800),
  },
  async run({ name, grace }, session) {
    const webhook = await session.call('webhooks.rotate', {
      params: { name },
      body: grace === undefined ? {} : { grace_seconds: grace },
    });
    const until = webhook.previous_secret_until;
    const before = until === null ? 'the previous one no longer signs' : `the previous one also signs until ${until}`;
    return {
      data: webhook,
      view: [line(good('✓ '), `${name} has a new secret; ${before}`), ...secretLine(webhook.secret)],
    };
  },
});
