import { printGrantee } from '@gantry/contract/refs.ts';
import { agentArgument } from '../../agent/agent-name.ts';
import { defineCommand, whole } from '../../command.ts';
import { findThread, threadArgument } from '../../thread/find-thread.ts';
import { readWith, withFlag } from '../../thread/share-with.ts';
import { good, line, time } from '../../view/view.ts';

export const command = defineCommand({
  words: 'threads share',
  summary: 'Let a person or a team who may use the agent read one of your conversations, for some days',
  needs: 'asset.invoke',
  examples: [
    'svc threads share desk order-12 --with user:bob@example.com',
    'svc threads share desk order-12 --with team:ml --days 2',
  ],
  arguments: { name: agentArgument, thread: threadArgument },
  flags: {
    with: withFlag,
    days: whole('Until it ends (default: 7, where the organisation allows so many)', 'days', { least: 1, most: 365 }),
  },
  async run({ name, thread, with: given, days }, session) {
    const params = { name, thread: await findThread(session, name, thread) };
    const body = { ...readWith(given), ...(days === undefined ? {} : { days }) };
    const share = await session.call('threads.share', { params, body });
    const who = printGrantee(share);
    return {
      data: share,
      view: [line(good('✓ '), `${who} may read ${thread} with ${name}; it ends `, time(share.ends_at))],
      next: [{ command: `svc threads show ${name} ${share.id} --shared`, when: 'for them to read it' }],
      undo: `svc threads unshare ${name} ${params.thread} --with ${who}`,
    };
  },
});
