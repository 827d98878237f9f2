import { Problem } from '@gantry/contract/problems.ts';
import { printGrantee } from '@gantry/contract/refs.ts';
import { agentArgument } from '../../agent/agent-name.ts';
import { defineCommand } from '../../command.ts';
import { takePages } from '../../pages.ts';
import { findThread, threadArgument } from '../../thread/find-thread.ts';
import { readWith, withFlag } from '../../thread/share-with.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'threads unshare',
  summary: 'Take back a share of one of your conversations',
  needs: 'asset.invoke',
  examples: [
    'svc threads unshare desk order-12 --with user:bob@example.com',
    'svc threads unshare desk order-12 --with team:ml',
  ],
  arguments: { name: agentArgument, thread: threadArgument },
  flags: { with: withFlag },
  async run({ name, thread, with: given }, session) {
    const params = { name, thread: await findThread(session, name, thread) };
    const who = printGrantee(readWith(given));
    const shares = await takePages(session, 10_000, (query) => session.call('threads.shares', { params, query }));
    const share = shares.find((one) => printGrantee(one) === who);
    if (share === undefined)
      throw new Problem('not_found', {
        detail: `${thread} is not shared with ${who}.`,
        hint: `Those who may read it: svc threads shares ${name} ${params.thread}`,
      });
    await session.call('threads.unshare', { params: { ...params, share: share.id } });
    return {
      data: share,
      view: [line(good('✓ '), `${who} may no longer read ${thread}`)],
      undo: `svc threads share ${name} ${params.thread} --with ${who}`,
    };
  },
});
