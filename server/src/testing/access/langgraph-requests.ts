// Requests to langgraph's API. A caller's threads and runs are their own.
import { openEnvelope } from '../../ground/envelope/envelope.ts';
import { sql } from '../../ground/database/sql.ts';
import type { TestApp } from '../test-app.ts';
import type { StoredAgent } from '../stored/stored-agent.ts';
import { nothing } from './about-nothing.ts';
import type { Actor, Look } from './route-table.ts';

interface At {
  agent: StoredAgent;
}

interface By<Subject extends At> {
  app: () => TestApp;
  /** The path of a thread of the actor, or of another caller. */
  threadOf: (look: Look, actor: Actor, at: Subject) => Promise<{ name: string; thread: string }>;
  /** An ended call of the same. */
  runOf: (look: Look, actor: Actor, at: Subject) => Promise<string>;
}

export function langgraphRequests<Subject extends At>({ app, threadOf, runOf }: By<Subject>) {
  const ofAgent = ({ agent }: At) => ({ params: { name: agent.name } });
  const ofAssistant = ({ agent }: At) => ({ params: { name: agent.name, assistant: agent.asset_id } });
  const ofOne = ({ agent }: At) => ({
    params: { name: agent.name, assistant: nothing, thread: nothing, run_id: nothing },
  });
  const ofThread = async (at: Subject, look: Look, actor: Actor) => ({ params: await threadOf(look, actor, at) });
  const withBody = (body: object) => (at: At) => ({ ...ofAgent(at), body });
  const onThread = (body: object) => async (at: Subject, look: Look, actor: Actor) => ({
    ...(await ofThread(at, look, actor)),
    body,
  });
  const ofRun = async (at: Subject, look: Look, actor: Actor) => {
    const { params } = await ofThread(at, look, actor);
    const run_id = await runOf(look, actor, at);
    await putOnThread(app(), params.thread, run_id);
    return { params: { ...params, run_id } };
  };
  const run = ({ agent }: At) => ({ assistant_id: agent.asset_id, input: { name: 'Ada' } });
  const runOnThread = async (at: Subject, look: Look, actor: Actor) => ({
    ...(await ofThread(at, look, actor)),
    body: run(at),
  });
  const address = { namespace: ['notes'], key: 'one' };
  return {
    'langgraph.info': ofAgent,
    'langgraph.search_assistants': withBody({}),
    'langgraph.count_assistants': withBody({}),
    'langgraph.assistant': ofAssistant,
    'langgraph.schemas': ofAssistant,
    'langgraph.graph': ofAssistant,
    'langgraph.subgraphs': ofAssistant,
    'langgraph.subgraph': ({ agent }: At) => ({
      params: { name: agent.name, assistant: agent.asset_id, namespace: 'inner' },
    }),
    'langgraph.update_state': onThread({ values: {} }),
    'langgraph.prune_threads': withBody({ thread_ids: [] }),
    'langgraph.batch': (at: At) => ({ ...ofAgent(at), body: [run(at)] }),
    'langgraph.versions': (at: At) => ({ ...ofAssistant(at), body: {} }),
    'langgraph.create_thread': withBody({}),
    'langgraph.search_threads': withBody({}),
    'langgraph.count_threads': withBody({}),
    'langgraph.thread': ofThread,
    'langgraph.update_thread': onThread({ metadata: { topic: 'tea' } }),
    'langgraph.delete_thread': ofThread,
    'langgraph.copy_thread': ofThread,
    'langgraph.state': ofThread,
    'langgraph.state_at': async (at: Subject, look: Look, actor: Actor) => {
      const params = await threadOf(look, actor, at);
      await putState(app(), params.thread, nothing);
      return { params: { ...params, checkpoint: nothing } };
    },
    'langgraph.state_of': onThread({ checkpoint: {} }),
    'langgraph.history': onThread({}),
    'langgraph.wait': runOnThread,
    'langgraph.stream': runOnThread,
    'langgraph.wait_alone': (at: At) => ({ ...ofAgent(at), body: run(at) }),
    'langgraph.stream_alone': (at: At) => ({ ...ofAgent(at), body: run(at) }),
    'langgraph.create_run': runOnThread,
    'langgraph.create_run_alone': (at: At) => ({ ...ofAgent(at), body: run(at) }),
    'langgraph.runs': ofThread,
    'langgraph.run': ofRun,
    'langgraph.join': ofRun,
    'langgraph.join_stream': ofRun,
    'langgraph.cancel': ofRun,
    'langgraph.put_item': withBody({ ...address, value: {} }),
    'langgraph.item': (at: At) => ({ ...ofAgent(at), query: { namespace: 'notes', key: 'none' } }),
    'langgraph.delete_item': withBody(address),
    'langgraph.search_items': withBody({}),
    'langgraph.namespaces': withBody({}),
    'langgraph.create_assistant': ofAgent,
    'langgraph.update_assistant': ofOne,
    'langgraph.delete_assistant': ofOne,
    'langgraph.latest_assistant': ofOne,
    'langgraph.follow_thread': ofOne,
    'langgraph.commands': ofOne,
    'langgraph.events': ofOne,
    'langgraph.cancel_runs': ofAgent,
    'langgraph.delete_run': ofOne,
    'langgraph.cron': ofAgent,
    'langgraph.cron_of_thread': ofOne,
    'langgraph.search_crons': ofAgent,
  };
}

async function putOnThread({ db, keys }: TestApp, thread_id: string, run_id: string): Promise<void> {
  const metadata = openEnvelope(keys.envelope).seal('{}', { table: 'langgraph_run', id: run_id });
  await db.run(sql`
    insert into langgraph_run (run_id, thread_id, multitask_strategy, metadata)
    select ${run_id}, id, 'enqueue', ${metadata} from thread where id = ${thread_id} on conflict do nothing`);
}

async function putState({ db }: TestApp, thread_id: string, id: string): Promise<void> {
  await db.run(sql`
    insert into thread_state (thread_id, ns, id, versions, source, step, body)
    select id, '', ${id}, '{}', 'loop', 1, '\\x00' from thread where id = ${thread_id}`);
}
