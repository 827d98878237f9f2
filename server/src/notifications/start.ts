import { mailDays, notificationDays } from '@gantry/contract/notifications.ts';
import type { Database } from '../database/database.ts';
import type { PasswordTokens } from '../login/password-token.ts';
import { startLoop } from '../runs/loop.ts';
import type { MailServer } from './mail-server.ts';
import * as mails from './mail-store.ts';
import { sendMail } from './send-mail.ts';
import * as store from './store.ts';
import type { CatchUp } from './tell.ts';

export interface Notifying {
  db: Database;
  /** Tells what happened since the last time. */
  catchUp: CatchUp;
  password_tokens: PasswordTokens;
  /** Absent means that none is sent. */
  mail: { server: MailServer; from: string } | undefined;
  base_url: () => string;
  /** No other process works on this database. */
  alone: boolean;
  onError: (error: unknown) => void;
}

// One row is read each time; what happened is told within a second or so.
const pause_ms = 500;
const forget_pause_ms = 15 * 60_000;
const most = 1000;

/** Tells what happens to those whom it concerns, from where the last process left off, and forgets what was told long ago. */
export async function startNotifying({
  db,
  catchUp,
  password_tokens,
  mail,
  base_url,
  alone,
  onError,
}: Notifying): Promise<{ stop(): Promise<void> }> {
  if (alone) await mails.releaseAll(db);
  const forget = async () => {
    const more = await mails.forgetOld(db, { keep_days: mailDays, most });
    return (await store.forgetOld(db, { keep_days: notificationDays, most })) || more;
  };
  const loops = [startLoop(catchUp, { pause_ms, onError }), startLoop(forget, { pause_ms: forget_pause_ms, onError })];
  if (mail !== undefined)
    loops.push(
      startLoop(async () => await sendMail({ db, password_tokens, base_url, ...mail }), { pause_ms, onError }),
    );
  return { stop: async () => void (await Promise.all(loops.map(async (loop) => await loop.stop()))) };
}
