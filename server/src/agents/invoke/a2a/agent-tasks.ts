// The tasks of one caller with one agent. Nobody else reads or ends them.
import type { Ingress } from '../ingress.ts';
import { cancelRun } from '../invocations.ts';
import * as store from '../store.ts';
import { A2aError } from './a2a-error.ts';
import { readCard } from './card.ts';
import { findOwner, ownTask, readerOf } from './own-task.ts';
import { sendMessage, streamMessage } from './send-message.ts';
import type { TaskHost } from './task-host.ts';

export function agentTasks(ingress: Ingress): TaskHost {
  return {
    ...readerOf(ingress),
    card: async (asked) => await readCard(ingress, asked),
    send: async (asked, params) => await sendMessage(ingress, asked, params),
    stream: async (asked, params) => await streamMessage(ingress, asked, params),
    cancel: async (asked, id) => {
      const task = await ownTask(ingress, asked, id);
      if (task.outcome === 'interrupted' && (await store.cancelWaiting(ingress.db, task))) return;
      if (task.state === 'ended') throw new A2aError('TASK_NOT_CANCELABLE');
      // The container ends the run as soon as the agent's code allows.
      await cancelRun(ingress, (await findOwner(ingress, asked)).agent, task);
    },
    list: async (asked, filter, page) => {
      const { owner } = await findOwner(ingress, asked);
      const rows = await store.listTasks(ingress.db, owner, filter, page);
      return { rows, total: await store.countTasks(ingress.db, owner, filter) };
    },
  };
}
