// Gives a user the way to a secret password: a mail brings a token. Without mail, the answer shows a one-time password. A user has at most
// one of these at a time. The token is stored nowhere before the mail is sent.
import type { GovernedTx } from '../../governance/access/change.ts';
import type { Reader } from '../../ground/database/database.ts';
import * as store from './password-token-store.ts';
import type { PasswordTokens } from './password-token.ts';

const lifetime_hours = 72;

export interface Admission {
  /** The audit entry has it; the mail is sent from there. */
  password_token: string;
  expires_at: string;
}

/** Invites a new user. */
export async function invite(tx: GovernedTx, user_id: string, made_by: string): Promise<Admission> {
  return await admit(tx, { user_id, kind: 'invitation', made_by });
}

/** After `endSessions`, which ended any open token. A user who never took an invitation is invited again. */
export async function admitAgain(
  tx: GovernedTx,
  user: { id: string; must_change_password: boolean },
  made_by: string,
): Promise<Admission> {
  const isNew = user.must_change_password && (await store.isInvited(tx, user.id));
  return await admit(tx, { user_id: user.id, kind: isNew ? 'invitation' : 'reset', made_by });
}

/** The end of each open token, by user id. */
export const mailedUntil = store.openUntil;

export interface PasswordMail extends store.OpenToken {
  token: string;
}

/** The mail; undefined when its token no longer works. */
export async function passwordMail(db: Reader, tokens: PasswordTokens, id: string): Promise<PasswordMail | undefined> {
  const open = await store.openToken(db, id);
  return open && { ...open, token: tokens.print(id) };
}

async function admit(tx: GovernedTx, token: Omit<store.NewToken, 'lifetime_hours'>): Promise<Admission> {
  const { id, expires_at } = await store.insertToken(tx, { ...token, lifetime_hours });
  return { password_token: id, expires_at };
}
