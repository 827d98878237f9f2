import { printGrantee } from '@gantry/contract/refs.ts';
import { agentArgument } from '../../agent/agent-name.ts';
import { defineCommand } from '../../command.ts';
import { limitFlag, takePages } from '../../pages.ts';
import { findThread, threadArgument } from '../../thread/find-thread.ts';
import { table, time } from '../../view/view.ts';

export const command = defineCommand({
  words: 'threads shares',
  summary: 'Who may read one of your conversations, and until when',
  needs: 'asset.invoke',
  examples: ['svc threads shares desk order-12', 'svc threads shares desk order-12 --json'],
  arguments: { name: agentArgument, thread: threadArgument },
  flags: { limit: limitFlag },
  async run({ name, thread, limit }, session) {
    const params = { name, thread: await findThread(session, name, thread) };
    const shares = await takePages(session, limit, (query) => session.call('threads.shares', { params, query }));
    const rows = shares.map((share) => [printGrantee(share), time(share.created_at), time(share.ends_at)]);
    const empty = `Only you read ${thread}. Share it: svc threads share ${name} ${params.thread} --with team:<name>`;
    return { data: shares, view: [table(['with', 'shared', 'ends'], rows, empty)] };
  },
});
