import type { Task } from '@aws-sdk/client-ecs';
import type { Ecs } from './ecs-platform.ts';

/** ECS refuses a question with another text. A replica says its name itself. */
export const isTaskId = (text: string): boolean => /^[0-9a-f-]{32,36}$/.test(text);

/** A task of this description. A replica says its name itself, so it may name any task of the cluster. */
export async function ownTask(
  { clients, settings }: Ecs,
  { name, task }: { name: string; task: string },
  signal?: AbortSignal,
): Promise<Task | undefined> {
  if (!isTaskId(task)) return undefined;
  const { cluster } = settings;
  const { tasks = [] } = await clients.ecs.describeTasks({ cluster, tasks: [task] }, { abortSignal: signal });
  return tasks.find(({ group }) => group === `service:${name}`);
}

/** ECS keeps those that stopped for an hour. */
export async function tasksOf(
  { clients, settings }: Ecs,
  { name, desiredStatus }: { name: string; desiredStatus: 'RUNNING' | 'STOPPED' },
  signal?: AbortSignal,
): Promise<Task[]> {
  const { cluster } = settings;
  const { taskArns = [] } = await clients.ecs.listTasks(
    { cluster, serviceName: name, desiredStatus, maxResults: 100 },
    { abortSignal: signal },
  );
  if (taskArns.length === 0) return [];
  const { tasks = [] } = await clients.ecs.describeTasks({ cluster, tasks: taskArns }, { abortSignal: signal });
  return tasks;
}
