import type { Admitted } from '../admit.ts';
import type * as store from '../store.ts';
import type { Turn } from '../turns.ts';
import type { StartedRun } from '../upstream.ts';

/** A turn of a task, which the call can begin. */
type NewTurn = Omit<store.TaskTurn, 'task_id'> & { task_id: string | undefined };

export interface CallToStore {
  admitted: Admitted;
  run: StartedRun;
  task?: NewTurn;
}

/** A new task has the id of its first call. */
export function rowOfCall(
  { admitted, run, task, turn }: CallToStore & { turn: Turn | undefined },
  instance_id: string | null,
  more: Pick<store.RunningInvocation, 'progress' | 'input'> = {},
): store.RunningInvocation {
  const { agent, revision, user, through } = admitted;
  const via = through?.chain[0]?.id;
  return {
    id: run.id,
    agent_id: agent.id,
    revision_id: revision.revision_id,
    instance_id,
    ...more,
    caller_id: user.id,
    ...(turn && { turn }),
    ...(task && { task: { ...task, task_id: task.task_id ?? run.id } }),
    ...(via !== undefined && { through: { via, root_run_id: run.root_run_id } }),
  };
}
