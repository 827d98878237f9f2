import type { Database } from '../database/database.ts';
import type { PasswordTokens } from '../login/password-token.ts';
import { startLoop } from '../runs/loop.ts';
import type { MailServer } from './mail-server.ts';
import * as store from './mail-store.ts';
import { sendMail } from './send-mail.ts';
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

/** Tells what happens to those whom it concerns, from where the last process left off. */
export async function startNotifying({
  db,
  catchUp,
  password_tokens,
  mail,
  base_url,
  alone,
  onError,
}: Notifying): Promise<{ stop(): Promise<void> }> {
  if (alone) await store.releaseAll(db);
  const loops = [startLoop(catchUp, { pause_ms, onError })];
  if (mail !== undefined)
    loops.push(
      startLoop(async () => await sendMail({ db, password_tokens, base_url, ...mail }), { pause_ms, onError }),
    );
  return { stop: async () => void (await Promise.all(loops.map(async (loop) => await loop.stop()))) };
}
