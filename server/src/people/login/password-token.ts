// The token of an invitation or a reset: `gpw_`, the id of its row, and an HMAC of the id under a separate key. The row has the user and
// the end. Neither the database nor a copy of it is enough to make the token.
import { createHmac, timingSafeEqual } from 'node:crypto';

export interface PasswordTokens {
  /** The token of this row. */
  print(id: string): string;
  /** The row of this token; undefined for a forged token. */
  read(token: string): string | undefined;
}

// An id of 16 bytes and a MAC of 32 are exactly 64 characters.
const form = /^gpw_([\w-]{64})$/;

export function passwordTokens(key: Buffer): PasswordTokens {
  const macOf = (id: Buffer) => createHmac('sha256', key).update(id).digest();
  return {
    print: (id) => {
      const bytes = Buffer.from(id.replaceAll('-', ''), 'hex');
      return `gpw_${Buffer.concat([bytes, macOf(bytes)]).toString('base64url')}`;
    },
    read: (token) => {
      const [, packed] = form.exec(token) ?? [];
      if (packed === undefined) return undefined;
      const bytes = Buffer.from(packed, 'base64url');
      const id = bytes.subarray(0, 16);
      if (!timingSafeEqual(macOf(id), bytes.subarray(16))) return undefined;
      return id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    },
  };
}
