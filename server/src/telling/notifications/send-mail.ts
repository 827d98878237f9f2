// Mail is sent at least once. Only a crash between the server's 250 and its record makes a second copy, with the same Message-ID. No sender
// can avoid that. A mail fails when the server refuses it for good, or for a day, and `svc doctor` reports it.
import { mail_days } from '@gantry/contract/telling/notifications.ts';
import { noRequest } from '../../governance/access/caller.ts';
import type { Database } from '../../ground/database/database.ts';
import { passwordMail } from '../../people/login/admit.ts';
import type { PasswordTokens } from '../../people/login/password-token.ts';
import { loadCaller } from '../../people/principals/load-caller.ts';
import type { QueueRules } from '../../ground/queue/queue.ts';
import type { Job, Outcome, Queue } from '../../ground/queue/work.ts';
import { waitingOfNotice } from '../../agents/memory/inbox/list-inbox.ts';
import { waitingCallsOf } from '../../agents/tools/approvals/list-waiting.ts';
import { questionsOfServer } from '../../agents/tools/questions/list-questions.ts';
import { composePasswordMail } from './compose-password-mail.ts';
import { compose, type Letter } from './compose.ts';
import { composeWaiting, composeWaitingCalls, composeWaitingQuestions } from './compose-waiting.ts';
import { MailFailure, send_ms, type MailServer } from './mail-server.ts';
import { readRows } from './read-rows.ts';
import * as store from './store.ts';
import type { CatchUp } from './tell.ts';

export interface Mailing {
  db: Database;
  password_tokens: PasswordTokens;
  /** Enqueues the mail for new events. */
  catchUp: CatchUp;
  /** Absent when no mail is sent. */
  mail: { server: MailServer; from: string } | undefined;
  base_url: () => string;
}

type Sending = Omit<Mailing, 'catchUp' | 'mail'> & NonNullable<Mailing['mail']>;

export const mailQueue = {
  name: 'mail',
  at_a_time: 4,
  lease_ms: 2 * send_ms,
  first_wait_ms: 30_000,
  longest_wait_ms: 60 * 60_000,
  give_up_hours: 24,
  keep_days: mail_days,
} satisfies QueueRules;

/** The notification or token is the key of the job; recipient and text are looked up at the sending. */
export const mailKey = (about: 'notification' | 'password_token', id: string): string => `${about} ${id}`;

export function mailing({ catchUp, mail, ...parts }: Mailing): Queue {
  const queue = { ...mailQueue, feed: catchUp, retentions: [store.retention] };
  return mail === undefined ? queue : { ...queue, work: async (job) => await sendMail({ ...parts, ...mail }, job) };
}

async function sendMail(sending: Sending, job: Job): Promise<Outcome> {
  const letter = await letterFor(sending, job);
  if (letter === undefined) return { state: 'dropped' };
  try {
    await sending.server.send(letter);
    return { state: 'done' };
  } catch (error) {
    if (!(error instanceof MailFailure)) throw error;
    return { state: error.final ? 'failed' : 'retry', problem: error.message };
  }
}

/** Undefined for a disabled user, a user who may no longer read the asset, an invalid token, or runs or calls that wait no more. */
async function letterFor(
  { db, password_tokens, from, base_url }: Sending,
  { id: job_id, key }: Job,
): Promise<Letter | undefined> {
  const [about, id = ''] = key.split(' ');
  if (about === 'password_token') {
    const mail = await passwordMail(db, password_tokens, id);
    return mail && composePasswordMail(mail, { id: job_id, base_url: base_url(), from });
  }
  const to = await store.recipientOf(db, id);
  const caller = to && (await loadCaller(db, to.user_id, noRequest()));
  if (caller === undefined) return undefined;
  const row = await store.oneOf(db, caller, id);
  const shown = row && (await readRows(db, caller, [row])).get(row.id);
  if (shown === undefined) return undefined;
  const end = { to: caller.email, base_url: base_url(), from };
  if (shown.call_id !== null) {
    const calls = await waitingCallsOf(db, caller, shown.asset_id);
    return calls.length === 0 ? undefined : composeWaitingCalls(shown, calls, end);
  }
  if (shown.question_id !== null) {
    const questions = await questionsOfServer(db, caller.id, shown.asset_id);
    return questions.length === 0 ? undefined : composeWaitingQuestions(shown, questions, end);
  }
  if (shown.notice_id === null) return compose(shown, end);
  const waiting = await waitingOfNotice(db, caller, shown.notice_id);
  return waiting.length === 0 ? undefined : composeWaiting(shown, waiting, end);
}
