import type { Handlers } from '../../governance/http/handlers.ts';
import { lastSeq } from '../../governance/http/request/last-event-id.ts';
import { jsonReply } from '../../governance/http/answer/reply.ts';
import { loadAsset } from '../../assets/registry/load-asset.ts';
import { langgraphUnansweredEndpoints } from '@gantry/contract/agents/langgraph/unanswered.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import { deleteThread } from '../memory/threads/threads.ts';
import { countAssistants, listVersions, searchAssistants, showAssistant, showGraph, showSchemas } from './assistant.ts';
import { notAnswered } from './not-answered.ts';
import { forHolders } from './holder-of-key.ts';
import type { RunParts } from './runs/begin-run.ts';
import { createRun, createRuns } from './runs/create.ts';
import { openPartsTold } from './runs/kept/write-parts.ts';
import { cancelRun, joinRun, joinStream, listRuns, showRun } from './runs/own-run.ts';
import { deleteItem, getItem, listNamespaces, putItem, searchItems } from './items.ts';
import { streamRun } from './runs/stream.ts';
import { waitForRun } from './runs/wait.ts';
import {
  copyThread,
  countThreads,
  createNamedThread,
  listStates,
  pruneThreads,
  searchThreads,
  showState,
  showThread,
  updateThread,
} from './threads/threads.ts';
import { updateState } from './threads/update-state.ts';

type Unanswered = keyof typeof langgraphUnansweredEndpoints;

export function langgraphRoutes(opened: Omit<RunParts, 'told'>): Handlers<'langgraph'> {
  const parts: RunParts = { ...opened, told: openPartsTold() };
  const { db, ingress } = parts;
  return forHolders(ingress, {
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
    'langgraph.graph': async ({ caller, params, query: { xray = 'false' }, signal }) => {
      const depth = xray === 'true' ? 'all' : xray === 'false' ? 0 : xray;
      return await showGraph(ingress, { caller, ...params, signal, path: `/graph?xray=${depth}` });
    },
    'langgraph.subgraphs': async ({ caller, params, query, signal }) =>
      await showGraph(ingress, { caller, ...params, signal, path: subgraphsPath(query) }),
    'langgraph.subgraph': async ({ caller, params, query, signal }) =>
      await showGraph(ingress, { caller, ...params, signal, path: subgraphsPath({ ...query, ...params }) }),
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
    'langgraph.state': async ({ caller, params, query: { select, subgraphs } }) =>
      await showState(parts, { caller, ...params, subgraphs, select: select?.split(',') }),
    'langgraph.state_at': async ({ caller, params, query: { select, subgraphs } }) =>
      await showState(parts, { caller, ...params, subgraphs, select: select?.split(',') }),
    'langgraph.state_of': async ({ caller, params, body }) => await showState(parts, { caller, ...params, ...body }),
    'langgraph.update_state': async ({ params, body, ...call }) =>
      await updateState(parts, { ...call, ...params, ...body }),
    'langgraph.prune_threads': async ({ caller, params, body }) =>
      await pruneThreads(parts, { caller, ...params, ...body }),
    'langgraph.history': async ({ caller, params, body }) => await listStates(parts, { caller, ...params, ...body }),
    'langgraph.wait': async ({ params, body: asked, ...call }) =>
      await waitForRun(parts, { ...call, ...params, asked }),
    'langgraph.stream': async ({ params, body: asked, ...call }) =>
      await streamRun(parts, { ...call, ...params, asked }),
    'langgraph.create_run': async ({ params, body: asked, ...call }) =>
      await createRun(parts, { ...call, ...params, asked }),
    'langgraph.create_run_alone': async ({ params, body: asked, ...call }) =>
      await createRun(parts, { ...call, ...params, asked }),
    'langgraph.batch': async ({ params, body, ...call }) => {
      const asking = body.map(({ thread_id, assistantId: _, ...asked }) => ({
        ...call,
        ...params,
        thread: thread_id ?? undefined,
        asked,
      }));
      return await createRuns(parts, asking);
    },
    'langgraph.runs': async ({ caller, params, query }) => await listRuns(parts, { caller, ...params, ...query }),
    'langgraph.run': async ({ caller, params }) => await showRun(parts, { caller, ...params }),
    'langgraph.join': async ({ caller, params, signal }) => await joinRun(parts, { caller, ...params, signal }),
    'langgraph.join_stream': async ({ caller, params, query, signal, headers }) =>
      await joinStream(parts, { caller, ...params, ...query, signal, after: lastSeq(headers) }),
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
  });
}

function subgraphsPath({ namespace = '', recurse = false }: { namespace?: string; recurse?: boolean | undefined }) {
  const asked = new URLSearchParams({ namespace, recurse: recurse ? '1' : '0' });
  return `/subgraphs?${asked.toString()}` as const;
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
