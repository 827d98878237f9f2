import { deliveryStates } from '@gantry/contract/telling/webhooks.ts';
import { choice, defineCommand, required } from '../../command.ts';
import { limitFlag, takePages } from '../../pages.ts';
import { bad, faint, good, prose, table, time, warn } from '../../view/view.ts';

export const command = defineCommand({
  words: 'webhook deliveries',
  summary: 'The deliveries of a webhook, newest first: pending, delivered and failed',
  needs: 'webhook.read',
  examples: ['svc webhook deliveries siem', 'svc webhook deliveries siem --state dead'],
  arguments: { name: required('Its name') },
  flags: { state: choice('Only these', deliveryStates), limit: limitFlag },
  async run({ name, state, limit }, session) {
    const filter = state === undefined ? {} : { state };
    const deliveries = await takePages(session, limit, (query) =>
      session.call('webhooks.deliveries', { params: { name }, query: { ...query, ...filter } }),
    );
    const styles = { delivered: good, queued: warn, dead: bad };
    return {
      data: deliveries,
      view: [
        table(
          ['delivery', 'event', 'entry', 'state', 'tries', 'answer', prose('problem'), 'next'],
          deliveries.map((one) => [
            faint(one.id),
            one.event,
            `governance/${one.seq}`,
            styles[one.state](one.state),
            one.attempts,
            one.status,
            one.problem,
            time(one.next_attempt_at),
          ]),
          `No deliveries. Send a test: svc webhook test ${name}`,
        ),
      ],
      next: deliveries.some((one) => one.state === 'dead')
        ? [{ command: `svc webhook redeliver ${name} <delivery>`, when: 'to send a failed one again' }]
        : [],
    };
  },
});
