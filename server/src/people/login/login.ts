// Sign-in with e-mail and password. Promises: answer and time are the same for a known and an unknown account. Guesses are limited
// per address, and per account from an address, and lock nobody out for good. Success and failure are recorded.
// The documented password of a fresh installation works from this machine alone.
import type { WaitingKey } from '@gantry/contract/people/login.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { append } from '../../governance/audit/append.ts';
import type { Origin } from '../../governance/access/caller.ts';
import { firstInAMinute } from '../../governance/access/collapse.ts';
import type { Database, Tx } from '../../ground/database/database.ts';
import { networkOf } from '../../governance/http/request/peer.ts';
import { oneAtATime } from './one-at-a-time.ts';
import type { PasswordTokens } from './password-token.ts';
import type { Passwords } from './password.ts';
import * as store from './store.ts';
import { enterWith } from './enter-with.ts';
import { providers } from './providers/index.ts';
import type { ShownPassword } from './providers/provider.ts';
import type { Tokens } from './token.ts';

const window_seconds = 15 * 60;
const max_per_account_and_address = 10;
const max_per_address = 100;

export interface Attempt extends ShownPassword {
  origin: Origin;
  /** The only way to send the token of this sign-in. */
  way: 'bearer' | 'cookie';
}

interface Keys {
  pair: string;
  address: string;
}

export interface LoginParts {
  db: Database;
  passwords: Passwords;
  tokens: Tokens;
  /** The HMAC key for the hashes of service principals' keys. */
  key_digest: Buffer;
  password_tokens: PasswordTokens;
  /** True when mail is set up; otherwise a user gets a one-time password. */
  mails_tokens: boolean;
  /** The gateway keys that the holder can claim. A higher folder provides it. */
  waitingKeys: (holder: { scope: 'user' | 'principal'; id: string }) => Promise<WaitingKey[]>;
}

type SignInParts = Pick<LoginParts, 'db' | 'passwords' | 'tokens' | 'waitingKeys'>;

// Parallel attempts count one by one. Otherwise many attempts at one moment would all run before the first counts.
const inTurn = oneAtATime();
// Refused attempts are recorded too; a flood of them makes one entry a minute.
const isFirstBlocked = firstInAMinute();

export async function login(parts: SignInParts, attempt: Attempt) {
  const from = networkOf(attempt.origin.ip);
  const keys = { pair: `account ${attempt.email} from ${from}`, address: `address ${from}` };
  return await inTurn(keys.address, async () => await tryOnce(parts, attempt, keys));
}

async function tryOnce({ db, passwords, tokens, waitingKeys }: SignInParts, attempt: Attempt, { pair, address }: Keys) {
  const wait = await store.blockedFor(db, [
    { key: pair, max: max_per_account_and_address },
    { key: address, max: max_per_address },
  ]);
  if (wait !== undefined) {
    if (isFirstBlocked(pair)) await record(db, attempt, { blocked_seconds: wait });
    throw new Problem('rate_limited', {
      retry_after_seconds: wait,
      detail: `Too many failed sign-ins. Try again in ${wait} s.`,
    });
  }
  const identity = await providers({ db, passwords }).local.prove(attempt);
  const alsoDo = async (tx: Tx) => await store.forgetFailures(tx, pair);
  // Undefined also when the password was changed while the attempt waited for its turn.
  const entered = identity && (await enterWith({ db, tokens, waitingKeys }, identity, { ...attempt, alsoDo }));
  if (entered !== undefined) return entered;
  await recordFailure(db, attempt, [pair, address]);
  throw new Problem('bad_credentials');
}

async function recordFailure(db: Database, attempt: Attempt, keys: string[]): Promise<void> {
  await record(db, attempt, {}, async (tx) => {
    await store.countFailure(tx, keys, window_seconds);
    await store.forgetOld(tx);
  });
}

async function record(
  db: Database,
  { email, origin }: Attempt,
  more: { blocked_seconds?: number },
  before: (tx: Tx) => Promise<void> = async () => {},
): Promise<void> {
  await db.transaction(async (tx) => {
    await before(tx);
    const actor = { kind: 'anonymous', id: null, name: email };
    const about = { team: null, asset: null, ip: origin.ip, request_id: origin.request_id };
    const detail = { provider: 'local', ...more };
    await append(tx, { event: 'login.failed', outcome: 'refused', actor, ...about, detail }, []);
  });
}
