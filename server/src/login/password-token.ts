// The token that an invitation or a reset mails: `gpw_`, the id of its row, and an HMAC of the id under a key of its own. So the row says
// who may choose a password until when, and neither the database nor a copy of it can make the token.
import { createHmac, timingSafeEqual } from 'node:crypto';

export interface PasswordTokens {
  /** The token that stands for this row. */
  print(id: string): string;
  /** The row that it stands for; undefined for anything that was not made here. */
  read(token: string): string | undefined;
}

// An id of 16 bytes and a MAC of 32 are 64 characters, without one to spare.
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
