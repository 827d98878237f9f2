// Requests to the memory of agents, which have no address outside of the door.
import { nothing } from './about-nothing.ts';

export const memoryRequests = {
  'memory.states': () => ({}),
  'memory.put_states': () => ({ body: Buffer.from('{}\n') }),
  'memory.delete_states': () => ({}),
  'memory.copy_thread': () => ({ body: { from: 'a', to: 'b' } }),
  'memory.delete_runs': () => ({ body: { run_ids: [nothing] } }),
  'memory.prune': () => ({ body: { threads: ['a'], strategy: 'delete' } }),
  'memory.items': () => ({ body: { ops: [] } }),
};
