import { agentArgument } from '../../agent/agent-name.ts';
import { defineCommand, text } from '../../command.ts';
import { nextOf } from '../../thread/describe-thread.ts';
import { findThread, threadArgument } from '../../thread/find-thread.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'threads fork',
  summary: 'Copy one of your conversations, up to one of its states; both go their own way',
  needs: 'asset.invoke',
  examples: [
    'svc threads fork desk order-12',
    'svc threads fork desk order-12 --at 1f0a2c3e-0000-6000-8001-000000000000 --as another-try',
  ],
  arguments: { name: agentArgument, thread: threadArgument },
  flags: {
    at: text('The state up to which it is copied (default: the latest): svc threads history', 'state'),
    as: text('The name of the copy (default: an id)', 'name'),
  },
  async run({ name, thread, at, as }, session) {
    const params = { name, thread: await findThread(session, name, thread) };
    const body = {
      ...(at === undefined ? {} : { checkpoint_id: at }),
      ...(as === undefined ? {} : { thread_id: as }),
    };
    const fork = await session.call('threads.fork', { params, body });
    return {
      data: fork,
      view: [line(good('✓ '), `${fork.thread_id} is a copy of ${thread}`)],
      next: nextOf(name, fork),
    };
  },
});
