import { agentArgument } from '../../agent/agent-name.ts';
import { defineCommand } from '../../command.ts';
import { describeThread, nextOf } from '../../thread/describe-thread.ts';
import { findThread, threadArgument } from '../../thread/find-thread.ts';

export const command = defineCommand({
  words: 'threads show',
  summary: 'One of your conversations: its values, and what it waits for. It wakes no agent',
  needs: 'asset.invoke',
  examples: ['svc threads show desk order-12', 'svc threads show desk order-12 --json'],
  arguments: { name: agentArgument, thread: threadArgument },
  flags: {},
  async run({ name, thread }, session) {
    const params = { name, thread: await findThread(session, name, thread) };
    const shown = await session.call('threads.show', { params });
    return { data: shown, view: describeThread(shown), next: nextOf(name, shown) };
  },
});
