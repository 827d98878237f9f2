import { agentArgument } from '../../agent/agent-name.ts';
import { choice, defineCommand, toggle } from '../../command.ts';
import { limitFlag, takePages } from '../../pages.ts';
import { sizeOf, threadState } from '../../thread/describe-thread.ts';
import { prose, table, time } from '../../view/view.ts';
import { threadStates } from '@gantry/contract/agents/threads.ts';

export const command = defineCommand({
  words: 'threads list',
  summary: 'Your conversations with an agent, the last used first',
  needs: 'asset.invoke',
  examples: [
    'svc threads list desk',
    'svc threads list desk --state waiting',
    'svc threads list desk --titles',
    'svc threads list desk --all',
    'svc threads list desk --shared',
  ],
  arguments: { name: agentArgument },
  flags: {
    state: choice('Only those in this state', threadStates),
    all: toggle("Everybody's, without names and texts; for admins of the agent"),
    shared: toggle('Those of others that are shared with you'),
    titles: toggle('Also the first words of each'),
    limit: limitFlag,
  },
  async run({ name, state, all, shared, titles, limit }, session) {
    const params = { name };
    if (shared) {
      const shares = await takePages(session, limit, (query) => session.call('threads.shared', { params, query }));
      const rows = shares.map((one) => [one.id, one.owner, one.with, time(one.created_at), time(one.ends_at)]);
      const empty = `Nobody shares a thread with ${name} with you. Its owner does: svc threads share ${name} <thread> --with …`;
      return { data: shares, view: [table(['id', 'of', 'with', 'shared', 'ends'], rows, empty)] };
    }
    if (all) {
      const threads = await takePages(session, limit, (query) => session.call('threads.all', { params, query }));
      const rows = threads.map((one) => [
        one.id,
        one.owner,
        threadState(one),
        sizeOf(one.bytes),
        time(one.created_at),
        time(one.used_at),
      ]);
      const columns = ['id', 'of', 'state', 'size', 'made', 'used'];
      return { data: threads, view: [table(columns, rows, `Nobody has a thread with ${name}.`)] };
    }
    const threads = await takePages(session, limit, (query) =>
      session.call('threads.list', {
        params,
        query: { ...query, ...(state === undefined ? {} : { state }), ...(titles && { titles: 'true' }) },
      }),
    );
    return {
      data: threads,
      view: [
        table(
          ['thread', ...(titles ? [prose('title')] : []), 'state', 'next', 'size', 'used'],
          threads.map((one) => [
            one.thread_id,
            ...(titles ? [one.title ?? null] : []),
            threadState(one),
            one.next.join(', ') || null,
            sizeOf(one.bytes),
            time(one.used_at),
          ]),
          `You have no such thread with ${name}. A call makes one: svc invoke ${name} '…' --thread new`,
        ),
      ],
    };
  },
});
