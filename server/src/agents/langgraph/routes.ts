import type { Handlers } from '../../governance/http/handlers.ts';
import { jsonReply } from '../../governance/http/answer/reply.ts';
import { loadAsset } from '../../assets/registry/load-asset.ts';
import { langgraphUnansweredEndpoints } from '@gantry/contract/agents/langgraph/unanswered.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import { deleteThread } from '../memory/threads/threads.ts';
import { countAssistants, listVersions, searchAssistants, showAssistant, showSchemas } from './assistant.ts';
import { notAnswered } from './not-answered.ts';
import type { RunParts } from './runs/begin-run.ts';
import { createRun } from './runs/create.ts';
import { cancelRun, joinRun, joinStream, listRuns, showRun } from './runs/own-run.ts';
import { deleteItem, getItem, listNamespaces, putItem, searchItems } from './items.ts';
import { streamRun } from './runs/stream.ts';
import { waitForRun } from './runs/wait.ts';
import {
  copyThread,
  countThreads,
  createNamedThread,
  listStates,
  searchThreads,
  showState,
  showThread,
  updateThread,
} from './threads.ts';

type Unanswered = keyof typeof langgraphUnansweredEndpoints;

export function langgraphRoutes(parts: RunParts): Handlers<'langgraph'> {
  const { db, ingress } = parts;
  return {
    ...unansweredRoutes(parts),
    'langgraph.info': async ({ caller, params: { name } }) => {
      await findReadable(parts, caller, name);
      return jsonReply({ version: 'gantry', flags: { assistants: true, crons: false, langsmith: false } });
    },
    'langgraph.search_assistants': async ({ caller, params, body }) =>
      await searchAssistants(db, { caller, ...body, assistant_name: body.name, ...params }),
    'langgraph.count_assistants': async ({ caller, params, body }) =>
      await countAssistants(db, { caller, ...body, assistant_name: body.name, ...params }),
    'langgraph.assistant': async ({ caller, params }) => await showAssistant(db, { caller, ...params }),
    'langgraph.schemas': async ({ caller, params, signal }) =>
      await showSchemas(ingress, { caller, ...params, signal }),
    'langgraph.versions': async ({ caller, params, body }) => await listVersions(db, { caller, ...body, ...params }),
    'langgraph.create_thread': async ({ caller, params, body }) =>
      await createNamedThread(parts, { caller, ...params, ...body }),
    'langgraph.search_threads': async ({ caller, params, body }) =>
      await searchThreads(parts, { caller, ...params, ...body }),
    'langgraph.count_threads': async ({ caller, params, body }) =>
      await countThreads(parts, { caller, ...params, ...body }),
    'langgraph.thread': async ({ caller, params }) => await showThread(parts, { caller, ...params }),
    'langgraph.update_thread': async ({ caller, params, body }) =>
      await updateThread(parts, { caller, ...params, ...body }),
    'langgraph.delete_thread': async ({ caller, params }) => await deleteThread(parts, { caller, ...params }),
    'langgraph.copy_thread': async ({ caller, params }) => await copyThread(parts, { caller, ...params }),
    'langgraph.state': async ({ caller, params, query: { select } }) =>
      await showState(parts, { caller, ...params, select: select?.split(',') }),
    'langgraph.state_at': async ({ caller, params, query: { select } }) =>
      await showState(parts, { caller, ...params, select: select?.split(',') }),
    'langgraph.state_of': async ({ caller, params, body }) => await showState(parts, { caller, ...params, ...body }),
    'langgraph.history': async ({ caller, params, body }) => await listStates(parts, { caller, ...params, ...body }),
    'langgraph.wait': async ({ params, body: asked, ...call }) =>
      await waitForRun(parts, { ...call, ...params, asked }),
    'langgraph.stream': async ({ params, body: asked, ...call }) =>
      await streamRun(parts, { ...call, ...params, asked }),
    'langgraph.create_run': async ({ params, body: asked, ...call }) =>
      await createRun(parts, { ...call, ...params, asked }),
    'langgraph.create_run_alone': async ({ params, body: asked, ...call }) =>
      await createRun(parts, { ...call, ...params, asked }),
    'langgraph.runs': async ({ caller, params, query }) => await listRuns(parts, { caller, ...params, ...query }),
    'langgraph.run': async ({ caller, params }) => await showRun(parts, { caller, ...params }),
    'langgraph.join': async ({ caller, params, signal }) => await joinRun(parts, { caller, ...params, signal }),
    'langgraph.join_stream': async ({ caller, params, signal }) =>
      await joinStream(parts, { caller, ...params, signal }),
    'langgraph.cancel': async ({ caller, params, query, signal }) =>
      await cancelRun(parts, { caller, ...params, ...query, signal }),
    'langgraph.put_item': async ({ params, body, ...call }) => await putItem(parts, { ...call, ...params, ...body }),
    'langgraph.item': async ({ params, query: { namespace, key }, ...call }) =>
      await getItem(parts, { ...call, ...params, namespace: namespace?.split('.') ?? [], key }),
    'langgraph.delete_item': async ({ params, body, ...call }) =>
      await deleteItem(parts, { ...call, ...params, ...body }),
    'langgraph.search_items': async ({ params, body, ...call }) =>
      await searchItems(parts, { ...call, ...params, ...body }),
    'langgraph.namespaces': async ({ params, body, ...call }) =>
      await listNamespaces(parts, { ...call, ...params, ...body }),
    'langgraph.wait_alone': async ({ params, body: asked, ...call }) =>
      await waitForRun(parts, { ...call, ...params, asked }),
    'langgraph.stream_alone': async ({ params, body: asked, ...call }) =>
      await streamRun(parts, { ...call, ...params, asked }),
  };
}

function unansweredRoutes(
  parts: RunParts,
): Handlers<'langgraph'> extends infer H ? Pick<H, Unanswered & keyof H> : never {
  const refuse =
    (name: string) =>
    async ({ caller, params }: { caller: Caller; params: { name: string } }) => {
      await findReadable(parts, caller, params.name);
      throw notAnswered(langgraphUnansweredEndpoints[name as Unanswered].summary.replace('Not answered: ', ''));
    };
  const all = Object.keys(langgraphUnansweredEndpoints).map((name) => [name, refuse(name)] as const);
  // One handler for each of these names.
  return Object.fromEntries(all) as never;
}

async function findReadable({ db }: RunParts, caller: Caller, name: string): Promise<void> {
  authorize(signedIn(caller), 'asset.read', await loadAsset(db, { kind: 'agent', name }, caller));
}
