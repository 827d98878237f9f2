// With whom a conversation is shared.
import type { ThreadShare } from '@gantry/contract/agents/thread-shares.ts';
import { isEmail, parsePrincipal } from '@gantry/contract/refs.ts';
import { needed, text, type Input } from '../command.ts';
import { misuse } from '../refusal.ts';

type With = Pick<ThreadShare, 'principal_type' | 'principal_id'>;

export const withFlag: Input<string> = needed(text('user:<e-mail> or team:<name>', 'who'));

/** A bare e-mail address is accepted too. */
export function readWith(given: string): With {
  const ref = parsePrincipal(isEmail(given) ? `user:${given}` : given);
  if (ref?.kind !== 'user' && ref?.kind !== 'team')
    throw misuse(`"${given}" is neither a person nor a team`, 'Write user:ada@example.com or team:ml.');
  return { principal_type: ref.kind, principal_id: ref.name };
}
