// Passwords: bcrypt over base64(HMAC-SHA-256(password)), because bcrypt ignores everything after byte 72. Hashing runs off the event
// loop, a few at a time, so that a flood of sign-ins slows only sign-ins.
import { createHmac, randomBytes } from 'node:crypto';
import bcrypt from 'bcrypt';
import pLimit from 'p-limit';
import { Problem } from '@gantry/contract/problems.ts';

const cost = 12;
const concurrent = 2;

export interface Passwords {
  hash(password: string): Promise<string>;
  /** Without a hash it takes as long and returns false, so the time does not reveal an unknown account. */
  matches(password: string, hash: string | undefined): Promise<boolean>;
  oneTime(): Promise<{ password: string; hash: string }>;
}

/** `key` is the installation's HMAC key (envelope/stored-keys.ts); `rounds` is bcrypt's cost. */
export function passwords(key: Buffer, rounds: number = cost): Passwords {
  const turn = pLimit(concurrent);
  const prepared = (password: string) => createHmac('sha256', key).update(password).digest('base64');
  const hash = async (password: string) => await turn(async () => await bcrypt.hash(prepared(password), rounds));
  const dummy = hash(randomBytes(16).toString('hex'));
  return {
    hash,
    matches: async (password, known) => {
      const against = known ?? (await dummy);
      const equal = await turn(async () => await bcrypt.compare(prepared(password), against));
      return equal && known !== undefined;
    },
    oneTime: async () => {
      const password = randomBytes(15).toString('base64url');
      return { password, hash: await hash(password) };
    },
  };
}

// The most common passwords of eight characters and more; full lists need a separate service.
const common = new Set([
  'password',
  'password1',
  '12345678',
  '123456789',
  '1234567890',
  'qwertyuiop',
  'iloveyou',
  'adminadmin',
  'letmein1',
  'welcome1',
  'gantry-admin',
]);

/** Throws `weak_password`: at least 8 characters (spec, Limits), not a very common password, not the e-mail. */
export function checkNewPassword(next: string, email: string): void {
  const weak = (detail: string) =>
    new Problem('weak_password', { detail, hint: 'Choose at least 8 characters that are hard to guess.' });
  if (Array.from(next).length < 8) throw weak('A password has at least 8 characters.');
  if (common.has(next.toLowerCase())) throw weak('This password is very common.');
  if ([email, email.split('@')[0]].includes(next.toLowerCase()))
    throw weak('The password must not be your e-mail address.');
}
