// What the SDK can ask and nothing here answers: a 501 that says so, instead of a 404 that would look like a missing thread.
import { z } from 'zod';
import type { Endpoint } from '../../endpoint.ts';
import { name } from '../../wire.ts';
import { ofAgent, root } from './of-agent.ts';

const byAssistant = z.strictObject({ name, assistant: z.string().max(200) });
const byThread = z.strictObject({ name, thread: z.string().min(1).max(1024) });
const byRun = byThread.extend({ run_id: z.string().max(100) });
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
    path: `${root}/assistants/{assistant}`,
    summary: 'Not answered: assistants.update of the SDK. A deploy changes an agent',
    params: byAssistant,
  },
  'langgraph.delete_assistant': {
    ...refused,
    method: 'DELETE',
    path: `${root}/assistants/{assistant}`,
    summary: 'Not answered: assistants.delete of the SDK',
    params: byAssistant,
  },
  'langgraph.latest_assistant': {
    ...refused,
    method: 'POST',
    path: `${root}/assistants/{assistant}/latest`,
    summary: 'Not answered: assistants.set_latest of the SDK. `svc rollback` chooses the version that serves',
    params: byAssistant,
  },
  'langgraph.follow_thread': {
    ...refused,
    method: 'GET',
    path: `${root}/threads/{thread}/stream`,
    summary: 'Not answered: threads.join_stream of the SDK',
    params: byThread,
  },
  'langgraph.commands': {
    ...refused,
    method: 'POST',
    path: `${root}/threads/{thread}/commands`,
    summary: 'Not answered: the newest streaming protocol of the SDK',
    params: byThread,
  },
  'langgraph.events': {
    ...refused,
    method: 'POST',
    path: `${root}/threads/{thread}/stream/events`,
    summary: 'Not answered: the newest streaming protocol of the SDK',
    params: byThread,
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
    path: `${root}/threads/{thread}/runs/{run_id}`,
    summary: 'Not answered: runs.delete of the SDK. The record of a run stays',
    params: byRun,
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
    path: `${root}/threads/{thread}/runs/crons`,
    summary: 'Not answered: crons.create_for_thread of the SDK',
    params: byThread,
  },
  'langgraph.search_crons': {
    ...refused,
    method: 'POST',
    path: `${root}/runs/crons/search`,
    summary: 'Not answered: crons.search of the SDK',
  },
} as const satisfies Record<string, Endpoint>;
