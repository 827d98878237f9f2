import type { Page } from '@gantry/contract/endpoint.ts';
import type { WaitingQuestion } from '@gantry/contract/assets/tool-questions.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import { theOrg } from '../../../governance/access/subject.ts';
import type { Reader } from '../../../ground/database/database.ts';
import type { Envelope } from '../../../ground/envelope/envelope.ts';
import type { Cursors } from '../../../governance/http/cursor.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import { asksForSecrets } from './asks-for-secrets.ts';
import * as store from './question-store.ts';
import { open } from './sealed.ts';

interface ListParts {
  db: Reader;
  envelope: Envelope;
  cursors: Cursors;
}

/** Those for the caller alone, the longest waiting first. Throws `bad_cursor` or `memory_damaged`. */
export async function listQuestions(
  { db, envelope, cursors }: ListParts,
  caller: Caller,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<Page<WaitingQuestion>> {
  const user = signedIn(caller);
  authorize(user, 'inbox.read', theOrg);
  const scope = ['waiting_questions', user.id];
  const after = cursors.read(cursor, scope) as [string, string] | undefined;
  const rows = await store.waitingFor(db, { user_id: user.id, after, limit: limit + 1 });
  const printed = await Promise.all(rows.slice(0, limit).map(async (row) => await printQuestion(envelope, row)));
  const by_id = new Map(printed.map((one) => [one.id, one]));
  return cursors.page(
    rows,
    limit,
    scope,
    ({ asked_at, id }) => [asked_at, id],
    ({ id }) => by_id.get(id),
  );
}

/** For a badge. */
export async function countQuestions(db: Reader, user_id: string, most: number): Promise<number> {
  return await store.countFor(db, { user_id, most });
}

/** Undefined for a question that does not wait any more. */
export async function questionToTell(
  db: Reader,
  id: string,
): Promise<{ question_id: string; user_id: string; server: { id: string; ref: string } } | undefined> {
  const row = await store.find(db, id);
  if (row?.state !== 'waiting') return undefined;
  return { question_id: id, user_id: row.caller_id, server: { id: row.server_id, ref: row.server } };
}

export type QuestionToTell = Pick<store.QuestionRow, 'tool' | 'agent' | 'asked_at' | 'expires_at'>;

const most_told = 100;

/** Those of one server to the user, without what they say. */
export async function questionsOfServer(db: Reader, user_id: string, server_id: string): Promise<QuestionToTell[]> {
  const rows = await store.waitingFor(db, { user_id, limit: most_told });
  return rows.filter((row) => row.server_id === server_id);
}

export async function printQuestion(envelope: Envelope, row: store.QuestionRow): Promise<WaitingQuestion> {
  const { id, server, server_version, tool, agent, through, asked_at, expires_at } = row;
  const { arguments: args, message, fields } = await open(envelope, { id, what: 'question' }, row.question);
  return {
    id,
    server: `${server}@${server_version}`,
    tool,
    arguments: args as WaitingQuestion['arguments'], // a call's arguments are JSON
    message,
    fields,
    asks_for_secrets: asksForSecrets(fields),
    agent,
    through,
    asked_at,
    expires_at,
  };
}
