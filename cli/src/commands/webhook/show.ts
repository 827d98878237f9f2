import { defineCommand, required } from '../../command.ts';
import { describeWebhook } from '../../webhook/describe-webhook.ts';

export const command = defineCommand({
  words: 'webhook show',
  summary: 'One webhook: its events, its address, its progress and its last problem',
  needs: 'webhook.read',
  examples: ['svc webhook show siem', 'svc webhook show siem --json'],
  arguments: { name: required('Its name') },
  flags: {},
  async run({ name }, session) {
    const webhook = await session.call('webhooks.show', { params: { name } });
    return {
      data: webhook,
      view: [describeWebhook(webhook)],
      next: [{ command: `svc webhook deliveries ${name}`, when: 'to see its deliveries' }],
    };
  },
});
