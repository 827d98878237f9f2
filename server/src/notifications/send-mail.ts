// Mail goes out at least once. Each row is claimed for a while, so that two processes do not send the same; one that dies leaves its claims
// to the next. Only a death between the server's 250 and the note of it makes a second copy, with the same Message-ID: no sender can know
// better. A mail that the server will never take, or not for a day, fails, and `svc doctor` says so.
import { randomUUID } from 'node:crypto';
import type { Database } from '../database/database.ts';
import { passwordMail } from '../login/admit.ts';
import type { PasswordTokens } from '../login/password-token.ts';
import { loadCaller } from '../principals/load-caller.ts';
import { composePasswordMail } from './compose-password-mail.ts';
import { compose, type Letter } from './compose.ts';
import { MailFailure, send_ms, type MailServer } from './mail-server.ts';
import * as mails from './mail-store.ts';
import { readRows } from './still-told.ts';
import * as store from './store.ts';

export interface Sending {
  db: Database;
  password_tokens: PasswordTokens;
  server: MailServer;
  from: string;
  base_url: () => string;
}

const at_a_time = 4;
const lease_ms = 2 * send_ms;
const first_wait_ms = 30_000;
const longest_wait_ms = 60 * 60_000;
const give_up_hours = 24;

/** True when there may be more. */
export async function sendMail(sending: Sending): Promise<boolean> {
  const claims = await mails.claimDue(sending.db, randomUUID(), at_a_time, lease_ms);
  await Promise.all(claims.map(async (claim) => await sendOne(sending, claim)));
  return claims.length === at_a_time;
}

async function sendOne(sending: Sending, claim: mails.Claim): Promise<void> {
  const { db, server } = sending;
  const letter = await letterFor(sending, claim);
  if (letter === undefined) return await mails.end(db, claim, 'dropped');
  try {
    await server.send(letter);
  } catch (error) {
    if (!(error instanceof MailFailure)) throw error;
    if (error.final) return await mails.end(db, claim, 'failed', error.message);
    const wait_ms = Math.min(first_wait_ms * 2 ** (claim.attempts - 1), longest_wait_ms);
    return await mails.putOff(db, claim, { wait_ms, give_up_hours, problem: error.message });
  }
  await mails.end(db, claim, 'sent');
}

/** Undefined for somebody who is disabled, may not know of the asset any more, or can do nothing with the token by now. */
async function letterFor(
  { db, password_tokens, from, base_url }: Sending,
  { id, notification_id, password_token_id }: mails.Claim,
): Promise<Letter | undefined> {
  if (password_token_id !== null) {
    const mail = await passwordMail(db, password_tokens, password_token_id);
    return mail && composePasswordMail(mail, { id, base_url: base_url(), from });
  }
  if (notification_id === null) return undefined;
  const to = await mails.recipientOf(db, notification_id);
  const caller = to && (await loadCaller(db, to.user_id, { request_id: null, ip: null, receipts: [] }));
  const row = caller && (await store.oneOf(db, caller, notification_id));
  const shown = row && (await readRows(db, caller, [row])).get(row.id);
  return shown && compose(shown, { to: caller.email, base_url: base_url(), from });
}
