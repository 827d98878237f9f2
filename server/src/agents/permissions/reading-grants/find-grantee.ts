import { Problem } from '@gantry/contract/problems.ts';
import { parsePrincipal, printPrincipal } from '@gantry/contract/refs.ts';
import type { Grantee } from '../../../governance/access/reading-grants.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { findGrantee } from '../find-principal.ts';

/** A holder's wire name → its immutable id. Throws `invalid` for another kind of principal and for a missing one. */
export async function findReader(db: Reader, text: string): Promise<Grantee & { shown: string }> {
  const found = await seekReader(db, text);
  if (found.principal_id === undefined) throw invalid(`There is no ${found.shown}.`);
  return { ...found, principal_id: found.principal_id };
}

/** As findReader; undefined for a missing one, whose name must not be told from that of a hidden one. */
export async function findReaderId(db: Reader, text: string): Promise<string | undefined> {
  return (await seekReader(db, text)).principal_id;
}

async function seekReader(db: Reader, text: string) {
  const ref = parsePrincipal(text);
  const kind = ref?.kind;
  if (ref === undefined || (kind !== 'user' && kind !== 'group' && kind !== 'principal'))
    throw invalid('Name a user, a group or a service principal: user:<e-mail>, group:<name> or principal:<name>.');
  return { principal_type: kind, principal_id: await findGrantee(db, kind, ref.name), shown: printPrincipal(ref) };
}

function invalid(detail: string): Problem {
  return new Problem('invalid', {
    detail,
    errors: [{ pointer: '/principal', message: 'must be an existing user, group or service principal' }],
  });
}
