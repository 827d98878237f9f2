import { isEmail, parsePrincipal, printPrincipal } from '@gantry/contract/refs.ts';
import { misuse } from './refusal.ts';

/** `user:<e-mail>` as the service writes it; a bare e-mail address is taken as well. */
export function readUser(given: string): string {
  const ref = parsePrincipal(isEmail(given) ? `user:${given}` : given);
  if (ref?.kind !== 'user') throw misuse(`"${given}" is not a user`, 'Write it like user:ada@example.com.');
  return printPrincipal(ref);
}
