import type { Handlers } from '../../../governance/http/handlers.ts';
import type { Ingress } from '../ingress.ts';
import { agentTasks } from './agent-tasks.ts';
import { answerRpc } from './json-rpc.ts';
import { answerRest } from './rest.ts';
import type { TaskHost } from './task-host.ts';

export const a2aHandlers = (ingress: Ingress): Handlers<'a2a'> => handlersOf(agentTasks(ingress));

export function handlersOf(host: TaskHost): Handlers<'a2a'> {
  return {
    'a2a.card': async ({ params: { name }, ...asked }) => await host.card({ ...asked, name }),
    'a2a.rpc': async ({ params: { name }, body, ...asked }) => await answerRpc(host, { ...asked, name }, body),
    'a2a.send': async ({ params: { name }, body, ...asked }) =>
      await answerRest(host, { ...asked, name }, { method: 'SendMessage', params: body }),
    'a2a.stream': async ({ params: { name }, body, ...asked }) =>
      await answerRest(host, { ...asked, name }, { method: 'SendStreamingMessage', params: body }),
    'a2a.tasks': async ({ params: { name }, query, ...asked }) =>
      await answerRest(host, { ...asked, name }, { method: 'ListTasks', params: query }),
    'a2a.task': async ({ params: { name, task_id }, query, ...asked }) =>
      await answerRest(host, { ...asked, name }, { method: 'GetTask', params: { ...query, id: task_id } }),
    'a2a.cancel': async ({ params: { name, task_id }, ...asked }) =>
      await answerRest(host, { ...asked, name }, { method: 'CancelTask', params: { id: task_id } }),
    'a2a.subscribe': async ({ params: { name, task_id }, ...asked }) =>
      await answerRest(host, { ...asked, name }, { method: 'SubscribeToTask', params: { id: task_id } }),
    'a2a.watch': async ({ params: { name, task_id }, ...asked }) =>
      await answerRest(host, { ...asked, name }, { method: 'SubscribeToTask', params: { id: task_id } }),
  };
}
