import { agentArgument } from '../../agent/agent-name.ts';
import { defineCommand } from '../../command.ts';
import { takePages } from '../../pages.ts';
import { findThread, threadArgument } from '../../thread/find-thread.ts';
import { verbatim } from '../../view/view.ts';

const most_states = 10_000;

export const command = defineCommand({
  words: 'threads export',
  summary: 'All states of one of your conversations as JSON, for another program',
  needs: 'asset.invoke',
  examples: ['svc threads export desk order-12 > order-12.json', 'svc threads export desk order-12 --json'],
  arguments: { name: agentArgument, thread: threadArgument },
  flags: {},
  async run({ name, thread }, session) {
    const params = { name, thread: await findThread(session, name, thread) };
    const shown = await session.call('threads.show', { params });
    const states = await takePages(session, most_states, (query) => session.call('threads.history', { params, query }));
    const exported = { agent: `agents/${name}`, ...shown, states };
    return { data: exported, view: [verbatim(JSON.stringify(exported, null, 2))] };
  },
});
