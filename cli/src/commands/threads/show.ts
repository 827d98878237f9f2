import { agentArgument } from '../../agent/agent-name.ts';
import { defineCommand, toggle } from '../../command.ts';
import { describeThread, nextOf } from '../../thread/describe-thread.ts';
import { findThread, threadArgument } from '../../thread/find-thread.ts';
import { fields, time } from '../../view/view.ts';

export const command = defineCommand({
  words: 'threads show',
  summary: 'One of your conversations: its values, and what it waits for. It wakes no agent',
  needs: 'asset.invoke',
  examples: [
    'svc threads show desk order-12',
    'svc threads show desk order-12 --json',
    'svc threads show desk 01890a5d-ac96-774b-bcce-b302099a8057 --any',
    'svc threads show desk 01890a5d-ac96-774b-bcce-b302099a8057 --shared',
  ],
  arguments: { name: agentArgument, thread: threadArgument },
  flags: {
    shared: toggle('One that is shared with you, by the id of the share, on record: svc threads list <agent> --shared'),
    any: toggle("Somebody's, by its id, on record; for admins of the agent, where the organisation allows it"),
  },
  async run({ name, thread, any, shared }, session) {
    if (shared) {
      const shown = await session.call('threads.look_shared', { params: { name, share: thread } });
      return {
        data: shown,
        view: [fields({ of: shown.owner, 'shared until': time(shown.share.ends_at) }), ...describeThread(shown)],
      };
    }
    if (any) {
      const shown = await session.call('threads.look', { params: { name, id: thread } });
      return { data: shown, view: [fields({ of: shown.owner }), ...describeThread(shown)] };
    }
    const params = { name, thread: await findThread(session, name, thread) };
    const shown = await session.call('threads.show', { params });
    return { data: shown, view: describeThread(shown), next: nextOf(name, shown) };
  },
});
