import { defineCommand, required } from '../../command.ts';
import { confirmFinal, yesFlag } from '../../input/confirm-final.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'webhook delete',
  summary: 'Delete a webhook; pending deliveries are dropped, and its secret ends',
  needs: 'webhook.change',
  examples: ['svc webhook delete siem', 'svc webhook delete chat --yes'],
  arguments: { name: required('Its name') },
  flags: { yes: yesFlag },
  async run({ name, yes }, session) {
    const { url, events } = await session.call('webhooks.show', { params: { name } });
    await confirmFinal(session, {
      yes,
      deed: `Delete webhook ${name}, which sends to ${url}, with its secret and its deliveries`,
      otherwise: `webhook ${name} was not deleted`,
    });
    await session.call('webhooks.delete', { params: { name } });
    return {
      data: { name },
      view: [line(good('✓ '), `${name} no longer sends to ${url}`)],
      undo: `svc webhook create ${name} --url ${url} --events '${events.join(',')}'`,
    };
  },
});
