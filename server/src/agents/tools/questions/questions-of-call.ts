// What a server asks the person for whom a call is made. Promises: a question goes to the end caller of its call and to nobody else; an answer is for this
// caller, this revision of the agent, this tool of this version of the server, with exactly these arguments and exactly this question. The server gets it
// once. Nobody waits here: the server gets a cancel, the agent an answer that says where the person answers, and the same call gets the answer later.
import { randomUUID } from 'node:crypto';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { EndCaller } from '../../../governance/access/caller.ts';
import { change } from '../../../governance/access/change.ts';
import { theOrg } from '../../../governance/access/subject.ts';
import { digestOf } from '../../../assets/registry/content.ts';
import type { ToolCaller } from '../admit-call.ts';
import type { UsableServer } from '../find-tools.ts';
import type { ToolParts } from '../parts.ts';
import { declined, type Answerer, type FormAnswer } from '../upstream/server-questions.ts';
import { faultOf } from './check-values.ts';
import * as store from './question-store.ts';
import { readQuestion } from './read-question.ts';
import { open, seal, type Question } from './sealed.ts';

export interface CallWithQuestions {
  call_id: string;
  caller: ToolCaller;
  user: EndCaller;
  usable: UsableServer;
  tool: string;
  arguments: Record<string, unknown>;
}

export interface QuestionsOfCall {
  answer: Answerer;
  /** Runs the call. Throws `question_waits` when its server has asked something that nobody has answered yet, whatever else the server says. */
  around: <T>(calling: () => Promise<T>) => Promise<T>;
}

const question_hours = 24;
/** Of one agent for one person: a hostile server must not hide one question among hundreds. */
const most_waiting = 20;
/** A server that asks more in one call gets no further answer. */
const most_of_call = 10;

/** Undefined when nobody can be asked. Throws `question_waits` while a question of the same call waits: it is not made again before. */
export async function questionsOfCall(parts: ToolParts, call: CallWithQuestions): Promise<QuestionsOfCall | undefined> {
  const { db } = parts;
  const { user, usable, call_id } = call;
  if (user.kind !== 'user' || usable.own !== undefined) return undefined;
  const of = bindingOf(call);
  const known = await store.findWaiting(db, of);
  if (known !== undefined) throw waits(parts, call, { ...known, isMade: false });
  let asked = 0;
  let unanswered: { why: unknown } | undefined;
  const answer: Answerer = async (form) => {
    asked += 1;
    const question = asked > most_of_call ? undefined : readQuestion(form);
    if (question === undefined) return declined;
    const asking = { call, question, of: { ...of, question_digest: digestOf(form) } };
    try {
      const given = await storedAnswer(parts, asking);
      if (given !== undefined) return given;
      const waiting = await ask(parts, asking);
      unanswered ??= { why: waits(parts, call, { ...waiting, isMade: true }) };
    } catch (error) {
      // The server gets no word of it, the caller does.
      unanswered ??= { why: error };
    }
    return { action: 'cancel' };
  };
  const around = async <T>(calling: () => Promise<T>): Promise<T> => {
    try {
      const answered = await calling();
      if (unanswered === undefined) return answered;
    } catch (error) {
      if (unanswered === undefined) throw error;
    } finally {
      await (unanswered === undefined ? store.useUp(db, call_id) : store.takeBack(db, call_id));
    }
    throw unanswered.why;
  };
  return { answer, around };
}

function bindingOf({ caller, user, usable: { server }, tool, arguments: args }: CallWithQuestions): store.AskingCall {
  return {
    revision_id: caller.kind === 'agent' ? caller.revision_id : null,
    caller_id: user.id,
    server_id: server.asset_id,
    server_version: server.version,
    tool,
    arguments_digest: digestOf(args),
  };
}

interface Asking {
  call: CallWithQuestions;
  question: Question;
  of: store.AskedQuestion;
}

/** Undefined when the person has not decided yet, or another call has taken the answer. */
async function storedAnswer(
  { db, envelope }: ToolParts,
  { call: { call_id }, question: { fields }, of }: Asking,
): Promise<FormAnswer | undefined> {
  const known = await store.findOpen(db, of);
  if (known?.state === 'declined') return declined;
  if (known === undefined || known.answer === null || !(await store.give(db, { id: known.id, call_id })))
    return undefined;
  const content = await open(envelope, { id: known.id, what: 'answer' }, known.answer);
  const fault = faultOf(fields, content);
  if (fault !== undefined) throw new Error(`a stored answer does not fit its question: ${fault}`);
  return { action: 'accept', content };
}

/** The open question. Throws `too_many_requests`. */
async function ask(
  { db, envelope }: ToolParts,
  { call: { caller, user, usable, tool, arguments: args }, question, of }: Asking,
): Promise<Pick<store.OpenQuestion, 'id' | 'expires_at'>> {
  const { server, upstream } = usable;
  const agent = caller.kind === 'agent' ? caller : undefined;
  const agent_id = agent?.id ?? null;
  const known = await store.findOpen(db, of);
  if (known !== undefined) return known;
  if ((await store.countWaiting(db, { agent_id, caller_id: user.id })) >= most_waiting)
    throw new Problem('too_many_requests', {
      detail: `${most_waiting} questions wait for ${user.label} already.`,
      hint: 'Call again when some of them are answered: svc inbox',
    });
  const id = randomUUID();
  const sealed = await seal(envelope, { id, what: 'question' }, { ...question, arguments: args });
  const through = agent === undefined ? [] : [agent.label, ...(agent.run?.chain ?? []).map(({ ref }) => ref)];
  const grant =
    agent === undefined ? authorize(caller, 'asset.invoke', upstream.asset) : authorize(agent, 'tool.call', theOrg);
  await change(db, grant, 'question.asked', async (tx, note) => {
    const row = { ...of, id, agent_id, caller: user.label, through, question: sealed, hours: question_hours };
    if (!(await store.ask(tx, row))) return;
    const { arguments_digest, question_digest } = of;
    note(
      { question: id, tool, version: server.version, arguments_digest, question_digest, caller: user.label, through },
      { asset: upstream.ref, team: upstream.asset.team.name },
    );
  });
  const asked = await store.findOpen(db, of);
  if (asked === undefined) throw new Error('a question that was asked is not there');
  return asked;
}

function waits(
  { base_url }: ToolParts,
  { user, usable: { upstream }, tool }: CallWithQuestions,
  { id, expires_at, isMade }: { id: string; expires_at: string; isMade: boolean },
): Problem {
  const done = isMade
    ? `${tool} of ${upstream.ref} was called and asks`
    : `${tool} of ${upstream.ref} was not called again: it asks`;
  return new Problem('question_waits', {
    detail: `${done} ${user.label} something. They answer at ${base_url()}/inbox (${id}), until ${expires_at}.`,
    hint: 'Make the same call with the same arguments again, after the answer: `svc inbox`',
  });
}
