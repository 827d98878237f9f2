// A principal's wire name → its immutable id. A new principal with an old name inherits nothing.
import { Problem } from '@gantry/contract/problems.ts';
import type { EntryPrincipal } from '../../governance/access/acl.ts';
import type { Reader } from '../../ground/database/database.ts';
import { findAsset } from '../../assets/registry/find.ts';
import { findGroup, findTeam, findUser } from '../../people/principals/find.ts';
import { findServicePrincipal } from '../../people/service-principals/find.ts';

export interface WrittenPrincipal {
  principal_type: EntryPrincipal['principal_type'];
  /** A name or an e-mail; null for the organisation. */
  principal_id: string | null;
}

/** Throws `invalid` for a missing principal. */
export async function findPrincipal(
  db: Reader,
  { principal_type, principal_id }: WrittenPrincipal,
): Promise<EntryPrincipal> {
  if (principal_type === 'org') {
    if (principal_id !== null) throw unknown('The organisation has no name: leave principal_id out.');
    return { principal_type, principal_id };
  }
  const found = principal_id === null ? undefined : await findGrantee(db, principal_type, principal_id);
  if (found === undefined) throw unknown(`There is no ${principal_type}:${principal_id ?? ''}.`);
  return { principal_type, principal_id: found };
}

/** The immutable id of a name; undefined for a missing principal. */
export async function findGrantee(
  db: Reader,
  type: Exclude<EntryPrincipal['principal_type'], 'org'>,
  name: string,
): Promise<string | undefined> {
  switch (type) {
    case 'team':
      return (await findTeam(db, name))?.id;
    case 'user':
      return (await findUser(db, name))?.id;
    case 'group':
      return (await findGroup(db, name))?.id;
    case 'principal':
      return (await findServicePrincipal(db, name))?.id;
    case 'agent':
    case 'orchestration':
      return (await findAsset(db, type, name, null))?.id;
  }
}

function unknown(detail: string): Problem {
  return new Problem('invalid', {
    detail,
    errors: [{ pointer: '/principal_id', message: 'must be an existing principal' }],
  });
}
