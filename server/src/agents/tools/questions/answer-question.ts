import type { QuestionValues, WaitingQuestion } from '@gantry/contract/assets/tool-questions.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import { change } from '../../../governance/access/change.ts';
import { theOrg } from '../../../governance/access/subject.ts';
import type { Database } from '../../../ground/database/database.ts';
import type { Envelope } from '../../../ground/envelope/envelope.ts';
import { signedInUser } from '../../../people/principals/signed-in.ts';
import { faultOf } from './check-values.ts';
import { printQuestion } from './list-questions.ts';
import * as store from './question-store.ts';
import { open, seal } from './sealed.ts';

export interface AnswerToQuestion {
  caller: Caller;
  id: string;
  action: 'accept' | 'decline';
  values?: QuestionValues | undefined;
}

/** The question that was answered. That of another person is not there. Throws `not_found`, `answer_refused` or `already_decided`. */
export async function answerQuestion(
  { db, envelope }: { db: Database; envelope: Envelope },
  { caller, id, action, values = {} }: AnswerToQuestion,
): Promise<WaitingQuestion> {
  const user = signedInUser(caller);
  const grant = authorize(user, 'tool_question.answer', theOrg);
  const row = await store.find(db, id);
  if (row === undefined || row.caller_id !== user.id) throw new Problem('not_found');
  const isAccepted = action === 'accept';
  const { fields } = await open(envelope, { id, what: 'question' }, row.question);
  const fault = isAccepted ? faultOf(fields, values) : undefined;
  if (fault !== undefined) throw new Problem('answer_refused', { detail: fault });
  const answer = isAccepted ? await seal(envelope, { id, what: 'answer' }, values) : null;
  await change(db, grant, isAccepted ? 'question.answered' : 'question.declined', async (tx, note) => {
    if (!(await store.decide(tx, { id, answer }))) throw new Problem('already_decided');
    const { tool, server_version: version, arguments_digest, question_digest, agent, through, server, team } = row;
    // No digest of the answer: a short one could be guessed from it.
    note({ question: id, tool, version, arguments_digest, question_digest, agent, through }, { asset: server, team });
  });
  return await printQuestion(envelope, row);
}
