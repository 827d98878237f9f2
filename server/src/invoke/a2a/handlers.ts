import type { Handlers } from '../../http/handlers.ts';
import type { Ingress } from '../ingress.ts';
import { readCard } from './card.ts';
import { answerRpc } from './json-rpc.ts';
import { answerRest } from './rest.ts';

export function a2aHandlers(ingress: Ingress): Handlers<'a2a'> {
  return {
    'a2a.card': async ({ params: { name }, caller, headers, signal }) =>
      await readCard(ingress, { caller, name, headers, signal }),
    'a2a.rpc': async ({ params: { name }, body, ...asked }) => await answerRpc(ingress, { ...asked, name }, body),
    'a2a.send': async ({ params: { name }, body, ...asked }) =>
      await answerRest(ingress, { ...asked, name }, { method: 'SendMessage', params: body }),
    'a2a.stream': async ({ params: { name }, body, ...asked }) =>
      await answerRest(ingress, { ...asked, name }, { method: 'SendStreamingMessage', params: body }),
    'a2a.tasks': async ({ params: { name }, query, ...asked }) =>
      await answerRest(ingress, { ...asked, name }, { method: 'ListTasks', params: query }),
    'a2a.task': async ({ params: { name, task_id }, query, ...asked }) =>
      await answerRest(ingress, { ...asked, name }, { method: 'GetTask', params: { ...query, id: task_id } }),
    'a2a.cancel': async ({ params: { name, task_id }, ...asked }) =>
      await answerRest(ingress, { ...asked, name }, { method: 'CancelTask', params: { id: task_id } }),
    'a2a.subscribe': async ({ params: { name, task_id }, ...asked }) =>
      await answerRest(ingress, { ...asked, name }, { method: 'SubscribeToTask', params: { id: task_id } }),
    'a2a.watch': async ({ params: { name, task_id }, ...asked }) =>
      await answerRest(ingress, { ...asked, name }, { method: 'SubscribeToTask', params: { id: task_id } }),
  };
}
