import type { Page } from '@gantry/contract/endpoint.ts';
import type { ServicePrincipal } from '@gantry/contract/people/service-principals.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import { theOrg } from '../../governance/access/subject.ts';
import { listOfTeams, type OfTeamsQuery } from '../principals/list-of-teams.ts';
import { signedIn } from '../principals/signed-in.ts';
import type { ServicePrincipalParts } from './parts.ts';
import { principalRecord } from './records.ts';
import * as store from './store.ts';

export async function listPrincipals(
  { db, cursors }: ServicePrincipalParts,
  caller: Caller,
  query: OfTeamsQuery,
): Promise<Page<ServicePrincipal>> {
  const user = signedIn(caller);
  authorize(user, 'principal.list', theOrg);
  return await listOfTeams(cursors, user, query, {
    noun: 'principals',
    operation: 'principal.read',
    rows: async (narrowed) => await store.principals(db, narrowed),
    toItem: principalRecord,
  });
}
