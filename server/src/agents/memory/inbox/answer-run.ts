// A member of an orchestration asks a person. Promises: the question stays while its run waits, and holds no process. One answer is stored, and wakes the
// run in the same transaction. The run itself makes the call with the answer, so a crash neither loses nor repeats it.
import type { Interrupt } from '@gantry/contract/agents/threads.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Grant } from '../../../governance/access/authorize.ts';
import { change } from '../../../governance/access/change.ts';
import { jsonReply, type Reply } from '../../../governance/http/answer/reply.ts';
import type { RequestHeaders } from '../../../governance/http/request/request-headers.ts';
import { wake } from '../../../ground/runs/run.ts';
import { runningReply } from '../../invoke/calls/detached.ts';
import type { ThreadName } from '../../invoke/turns.ts';
import type { MemoryParts } from '../parts.ts';
import { openContent, rows, sealContent } from '../sealed-content.ts';
import { openInterrupts } from '../threads/print-thread.ts';
import { checkAnswer } from './check-answer.ts';
import type { WaitingRow } from './inbox-store.ts';
import * as store from './run-wait-store.ts';

export type { Question } from './run-wait-store.ts';

type Known = { state: 'waits' | 'gone' } | { state: 'answered'; value: unknown; checkpoint_id: string };

/** `waits`: from now on the question is in the inbox, and its answer wakes the run. `gone`: the thread waits for nobody. Throws `memory_damaged`. */
export async function answerTo(
  { db, envelope }: MemoryParts,
  question: store.Question,
  thread: ThreadName,
): Promise<Known> {
  const row = (await store.findWait(db, question)) ?? (await store.addWait(db, question, thread));
  if (row === undefined) return { state: 'gone' };
  if (row.value === null) return { state: 'waits' };
  const { head, take } = await openContent(envelope, rows.answer(question), row.value);
  const { size } = head as { size: number }; // answerRun has written it
  return { state: 'answered', value: JSON.parse(take(size).toString()) as unknown, checkpoint_id: row.checkpoint_id };
}

export interface RunAnswer {
  grant: Grant;
  row: Pick<WaitingRow, 'id' | 'owner' | 'owner_id'>;
  wait: store.OpenWait;
  value: unknown;
  is_own: boolean;
  headers: RequestHeaders;
}

/** Throws `answered_already`. */
export async function answerRun(parts: MemoryParts, answer: RunAnswer): Promise<Reply> {
  await putAnswer(parts, answer);
  const { run_id, orchestration } = answer.wait;
  if (!answer.is_own) return jsonReply({ run_id, status: 'answered' }, 200, { 'x-run-id': run_id });
  return runningReply(answer.headers, { run_id, location: `/orchestrations/${orchestration}/runs/${run_id}` });
}

/** `message`: the id of what answered, for `isAnsweredBy`. */
async function putAnswer(
  { db, envelope }: MemoryParts,
  { grant, row, wait, value, message }: Omit<RunAnswer, 'is_own' | 'headers'> & { message?: string },
): Promise<void> {
  const { run_id } = wait;
  const text = Buffer.from(JSON.stringify(value));
  const sealed = await sealContent(envelope, rows.answer(wait), { head: { size: text.length }, parts: [text] });
  await change(db, grant, 'thread.answered', async (tx, note) => {
    if (!(await store.putAnswer(tx, wait, { value: sealed, message }))) throw new Problem('answered_already');
    await wake(tx, run_id);
    note({ thread: row.id, caller: row.owner ?? row.owner_id, checkpoint: wait.checkpoint_id, run: run_id });
  });
}

export const { isAnsweredBy } = store;

interface Asking {
  /** The member, agents/<name>. */
  agent: string;
  interrupts: Interrupt[];
  /** Throws `answered_already` and `answer_refused`. */
  answer: (by: { grant: Grant; value: unknown; message: string }) => Promise<void>;
}

/** The members of a run that wait for a person, for the caller of the run. Throws `memory_damaged`. */
export async function membersThatAsk(parts: MemoryParts, run_id: string): Promise<Asking[]> {
  const questions = await store.openQuestions(parts.db, run_id);
  return await Promise.all(
    questions.map(async (row) => {
      const interrupts = await openInterrupts(parts.envelope, row);
      return {
        agent: row.agent,
        interrupts,
        answer: async (by) => {
          checkAnswer(interrupts, by.value);
          await putAnswer(parts, { ...by, row, wait: row });
        },
      };
    }),
  );
}
