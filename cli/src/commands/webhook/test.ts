import { defineCommand, required } from '../../command.ts';
import { exitCodes } from '../../exit-codes.ts';
import { bad, good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'webhook test',
  summary: 'Send an event webhook.test now, once; exit 1 when it does not arrive',
  needs: 'webhook.change',
  examples: ['svc webhook test siem', 'svc webhook test siem --json'],
  arguments: { name: required('Its name') },
  flags: {},
  async run({ name }, session) {
    const outcome = await session.call('webhooks.test', { params: { name } });
    return {
      data: outcome,
      view: [
        outcome.delivered
          ? line(good('✓ '), `The test of ${name} arrived: status ${outcome.status}`)
          : line(bad('✗ '), `The test of ${name} did not arrive: ${outcome.problem}`),
      ],
      exit: outcome.delivered ? exitCodes.done : exitCodes.refused,
    };
  },
});
