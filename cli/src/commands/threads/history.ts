import { agentArgument } from '../../agent/agent-name.ts';
import { defineCommand } from '../../command.ts';
import { limitFlag, takePages } from '../../pages.ts';
import { historyTable } from '../../thread/describe-thread.ts';
import { findThread, threadArgument } from '../../thread/find-thread.ts';

export const command = defineCommand({
  words: 'threads history',
  summary: 'The states of one of your conversations, the newest first; --json has their values',
  needs: 'asset.invoke',
  examples: ['svc threads history desk order-12', 'svc threads history desk order-12 --json --limit 5'],
  arguments: { name: agentArgument, thread: threadArgument },
  flags: { limit: limitFlag },
  async run({ name, thread, limit }, session) {
    const params = { name, thread: await findThread(session, name, thread) };
    const states = await takePages(session, limit, (query) => session.call('threads.history', { params, query }));
    return { data: states, view: historyTable(states) };
  },
});
