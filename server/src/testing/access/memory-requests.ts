// Requests to the memory of agents, which has no address outside of the door.
import type { StoredAgent } from '../stored/stored-agent.ts';
import { storeShare, storeThread } from '../stored/stored-thread.ts';
import type { TestApp } from '../test-app.ts';
import { nothing } from './about-nothing.ts';
import type { Actor, Look } from './route-table.ts';

export const memoryRequests = {
  'memory.states': () => ({}),
  'memory.put_states': () => ({ body: Buffer.from('{}\n') }),
  'memory.delete_states': () => ({}),
  'memory.copy_thread': () => ({ body: { from: 'a', to: 'b' } }),
  'memory.delete_runs': () => ({ body: { run_ids: [nothing] } }),
  'memory.prune': () => ({ body: { threads: ['a'], strategy: 'delete' } }),
  'memory.items': () => ({ body: { ops: [] } }),
};

interface At {
  agent: StoredAgent;
}

interface By {
  app: () => TestApp;
  /** The actor as the log names it, or another caller. */
  labelOf: (look: Look, actor: Actor) => string;
  /** The path of a thread of the actor, or of another caller. */
  threadOf: (look: Look, actor: Actor, at: At) => Promise<{ name: string; thread: string }>;
  /** The id of a user of its own. */
  userToChange: () => Promise<string>;
}

export function threadRequests({ app, labelOf, threadOf, userToChange }: By) {
  const ofAgent = ({ agent }: At) => ({ params: { name: agent.name } });
  const ofThread = async (at: At, look: Look, actor: Actor) => ({ params: await threadOf(look, actor, at) });
  return {
    'threads.list': ofAgent,
    'threads.create': (at: At) => ({ ...ofAgent(at), body: {} }),
    'threads.show': ofThread,
    'threads.history': ofThread,
    'threads.fork': async (at: At, look: Look, actor: Actor) => ({ ...(await ofThread(at, look, actor)), body: {} }),
    'threads.delete': ofThread,
    'threads.share': async (at: At, look: Look, actor: Actor) => ({
      ...(await ofThread(at, look, actor)),
      body: { principal_type: 'team', principal_id: 'ml' },
    }),
    'threads.shares': ofThread,
    'threads.unshare': async (at: At, look: Look, actor: Actor) => {
      const params = await threadOf(look, actor, at);
      const thread_id = params.thread === nothing ? undefined : params.thread;
      const share = await storeShare(app(), { thread_id, reader: 'vt@example.com' });
      return { params: { ...params, share: share ?? nothing } };
    },
    'threads.shared': ofAgent,
    'threads.look_shared': async ({ agent }: At, look: Look, actor: Actor) => {
      const thread_id = await storeThread(app(), agent, app().admin.email);
      const share = await storeShare(app(), { thread_id, reader: labelOf(look, actor) });
      return { params: { name: agent.name, share: share ?? nothing } };
    },
    'threads.answer': async (at: At, look: Look, actor: Actor) => ({
      ...(await ofThread(at, look, actor)),
      body: { value: 'yes' },
    }),
    'threads.forget_user': async () => ({ params: { id: await userToChange() }, body: {} }),
    'threads.all': ofAgent,
    'threads.look': async (at: At, look: Look, actor: Actor) => {
      const { name, thread: id } = await threadOf(look, actor, at);
      return { params: { name, id } };
    },
    'inbox.list': () => ({}),
  };
}
