import { defineCommand, required } from '../../command.ts';
import { findDelivery } from '../../input/find-id.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'webhook redeliver',
  summary: 'Send a delivery again, under the same id',
  needs: 'webhook.change',
  examples: [
    'svc webhook redeliver siem 0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10',
    'svc webhook redeliver siem 0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10 --json',
  ],
  arguments: { name: required('Its name'), delivery: required('The id of the delivery, or its first characters') },
  flags: {},
  async run({ name, delivery: given }, session) {
    const id = await findDelivery(session, name, given);
    const delivery = await session.call('webhooks.redeliver', { params: { name, id } });
    return {
      data: delivery,
      view: [line(good('✓ '), `${delivery.event} (governance/${delivery.seq}) is sent to ${name} again`)],
      next: [{ command: `svc webhook deliveries ${name}`, when: 'to see whether it arrived' }],
    };
  },
});
