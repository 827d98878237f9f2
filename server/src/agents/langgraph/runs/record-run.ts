// The record of a run on a thread: which call it is, and what its client keeps with it.
import type { RunBody } from '@gantry/contract/agents/langgraph/runs.ts';
import type { Envelope } from '../../../ground/envelope/envelope.ts';
import type { Database } from '../../../ground/database/database.ts';
import { problemIn, statusIn } from '../../invoke/calls/outcome.ts';
import type { Json } from '../json.ts';
import * as store from '../store.ts';
import type { RunRow } from '../store.ts';

interface Parts {
  db: Database;
  envelope: Envelope;
}

interface OnThread {
  run_id: string;
  /** Undefined: the run has no thread, so nobody asks for it again. */
  thread_id: string | undefined;
  asked: Pick<RunBody, 'metadata' | 'multitask_strategy'>;
  keeps_parts?: boolean;
}

const table = 'langgraph_run';

/** The work, which stores the call. A run whose call is refused leaves no record. */
export async function recorded<Value>(
  { db, envelope }: Parts,
  { run_id, thread_id, asked, keeps_parts = false }: OnThread,
  work: () => Promise<Value>,
): Promise<Value> {
  if (thread_id === undefined) return await work();
  const metadata = envelope.seal(JSON.stringify(asked.metadata ?? {}), { table, id: run_id });
  const { multitask_strategy } = asked;
  const put = { run_id, thread_id, multitask_strategy: multitask_strategy ?? 'enqueue', metadata, keeps_parts };
  await store.putRun(db, put);
  try {
    return await work();
  } catch (error) {
    await store.removeRun(db, run_id);
    throw error;
  }
}

export type RunStatus = 'pending' | 'running' | 'success' | 'interrupted' | 'error';

export function runStatus({ state, is_placed, status, head }: RunRow): RunStatus {
  if (state === 'running') return is_placed ? 'running' : 'pending';
  if (status === null || head === null) return 'error';
  if (status < 400) return statusIn(head) === 'interrupted' ? 'interrupted' : 'success';
  return ['run_cancelled', 'cancelled', 'run_interrupted'].includes(problemIn(head)?.code ?? '')
    ? 'interrupted'
    : 'error';
}

export function printRun(
  { envelope }: Pick<Parts, 'envelope'>,
  row: RunRow,
  { thread, assistant_id }: { thread: string; assistant_id: string },
): Json {
  const { run_id, created_at, updated_at, multitask_strategy } = row;
  // recorded() has sealed an object.
  const metadata = JSON.parse(envelope.open(row.metadata, { table, id: run_id })) as Json;
  const of = { run_id, thread_id: thread, assistant_id, created_at, updated_at };
  return { ...of, status: runStatus(row), metadata, kwargs: {}, multitask_strategy };
}
