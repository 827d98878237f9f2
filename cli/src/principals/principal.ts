import type { Permission } from '@gantry/contract/people/permissions.ts';
import { isEmail, parsePrincipal, printPrincipal } from '@gantry/contract/refs.ts';
import { misuse } from '../refusal.ts';

/** `user:<e-mail>` as the service writes it; a bare e-mail address is accepted too. */
export function readUser(given: string): string {
  const ref = parsePrincipal(isEmail(given) ? `user:${given}` : given);
  if (ref?.kind !== 'user') throw misuse(`"${given}" is not a user`, 'Write it like user:ada@example.com.');
  return printPrincipal(ref);
}

type Principal = Pick<Permission, 'principal_type' | 'principal_id'>;

/** `team:ml`, `user:ada@example.com` or `org`, in the service's two fields. */
export function readPrincipal(given: string): Principal {
  if (given === 'org') return { principal_type: 'org', principal_id: null };
  const ref = parsePrincipal(given);
  if (ref === undefined)
    throw misuse(`"${given}" is not a principal`, 'Write team:ml, user:ada@example.com, or org for everybody.');
  return { principal_type: ref.kind, principal_id: ref.name };
}
