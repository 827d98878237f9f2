import { agentArgument } from '../../agent/agent-name.ts';
import { defineCommand } from '../../command.ts';
import { confirmFinal, yesFlag } from '../../input/confirm-final.ts';
import { findThread, threadArgument } from '../../thread/find-thread.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'threads delete',
  summary: 'Delete one of your conversations and all its states; nothing of it can be restored',
  needs: 'asset.invoke',
  examples: ['svc threads delete desk order-12', 'svc threads delete desk order-12 --yes'],
  arguments: { name: agentArgument, thread: threadArgument },
  flags: { yes: yesFlag },
  async run({ name, thread, yes }, session) {
    const params = { name, thread: await findThread(session, name, thread) };
    await session.call('threads.show', { params });
    await confirmFinal(session, {
      yes,
      deed: `Delete thread ${thread} with ${name}, and all its states`,
      otherwise: `thread ${thread} was not deleted`,
    });
    await session.call('threads.delete', { params });
    return { data: { thread }, view: [line(good('✓ '), `${name} has forgotten ${thread}`)] };
  },
});
