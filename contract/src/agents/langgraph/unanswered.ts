// What the SDK can ask and nothing here answers: a 501 that says so, instead of a 404 that would look like a missing thread.
import { z } from 'zod';
import type { Endpoint } from '../../endpoint.ts';
import { name } from '../../wire.ts';
import { ofAgent, root } from './of-agent.ts';

const byOne = z.strictObject({ name, one: z.string().max(1024) });
const byTwo = byOne.extend({ two: z.string().max(1024) });
const refused = { ...ofAgent, operation: 'asset.read', problems: ['not_answered'] } as const;

export const langgraphUnansweredEndpoints = {
  'langgraph.create_assistant': {
    ...refused,
    method: 'POST',
    path: `${root}/assistants`,
    summary: 'Not answered: assistants.create of the SDK. An assistant is an agent, and a deploy makes it',
  },
  'langgraph.update_assistant': {
    ...refused,
    method: 'PATCH',
    path: `${root}/assistants/{one}`,
    summary: 'Not answered: assistants.update of the SDK. A deploy changes an agent',
    params: byOne,
  },
  'langgraph.delete_assistant': {
    ...refused,
    method: 'DELETE',
    path: `${root}/assistants/{one}`,
    summary: 'Not answered: assistants.delete of the SDK',
    params: byOne,
  },
  'langgraph.latest_assistant': {
    ...refused,
    method: 'POST',
    path: `${root}/assistants/{one}/latest`,
    summary: 'Not answered: assistants.set_latest of the SDK. `svc rollback` chooses the version that serves',
    params: byOne,
  },
  'langgraph.graph': {
    ...refused,
    method: 'GET',
    path: `${root}/assistants/{one}/graph`,
    summary: 'Not answered: assistants.get_graph of the SDK',
    params: byOne,
  },
  'langgraph.subgraphs': {
    ...refused,
    method: 'GET',
    path: `${root}/assistants/{one}/subgraphs`,
    summary: 'Not answered: assistants.get_subgraphs of the SDK',
    params: byOne,
  },
  'langgraph.update_state': {
    ...refused,
    method: 'POST',
    path: `${root}/threads/{one}/state`,
    summary: "Not answered: threads.update_state of the SDK. It needs the agent's code",
    params: byOne,
  },
  'langgraph.prune_threads': {
    ...refused,
    method: 'POST',
    path: `${root}/threads/prune`,
    summary: 'Not answered: threads.prune of the SDK',
  },
  'langgraph.follow_thread': {
    ...refused,
    method: 'GET',
    path: `${root}/threads/{one}/stream`,
    summary: 'Not answered: threads.join_stream of the SDK',
    params: byOne,
  },
  'langgraph.commands': {
    ...refused,
    method: 'POST',
    path: `${root}/threads/{one}/commands`,
    summary: 'Not answered: the newest streaming protocol of the SDK',
    params: byOne,
  },
  'langgraph.events': {
    ...refused,
    method: 'POST',
    path: `${root}/threads/{one}/stream/events`,
    summary: 'Not answered: the newest streaming protocol of the SDK',
    params: byOne,
  },
  'langgraph.batch': {
    ...refused,
    method: 'POST',
    path: `${root}/runs/batch`,
    summary: 'Not answered: runs.create_batch of the SDK',
  },
  'langgraph.cancel_runs': {
    ...refused,
    method: 'POST',
    path: `${root}/runs/cancel`,
    summary: 'Not answered: runs.cancel_many of the SDK',
  },
  'langgraph.delete_run': {
    ...refused,
    method: 'DELETE',
    path: `${root}/threads/{one}/runs/{two}`,
    summary: 'Not answered: runs.delete of the SDK. The record of a run stays',
    params: byTwo,
  },
  'langgraph.cron': {
    ...refused,
    method: 'POST',
    path: `${root}/runs/crons`,
    summary: 'Not answered: crons.create of the SDK',
  },
  'langgraph.cron_of_thread': {
    ...refused,
    method: 'POST',
    path: `${root}/threads/{one}/runs/crons`,
    summary: 'Not answered: crons.create_for_thread of the SDK',
    params: byOne,
  },
  'langgraph.search_crons': {
    ...refused,
    method: 'POST',
    path: `${root}/runs/crons/search`,
    summary: 'Not answered: crons.search of the SDK',
  },
} as const satisfies Record<string, Endpoint>;
