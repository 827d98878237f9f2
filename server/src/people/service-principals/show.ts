import { Problem } from '@gantry/contract/problems.ts';
import {
  principalActions,
  type ServicePrincipal,
  type ServicePrincipalDetail,
} from '@gantry/contract/people/service-principals.ts';
import { authorize } from '../../governance/access/authorize.ts';
import { can } from '../../governance/access/can.ts';
import type { Caller } from '../../governance/access/caller.ts';
import type { TeamSubject } from '../../governance/access/subject.ts';
import type { Reader } from '../../ground/database/database.ts';
import type { ServicePrincipalParts } from './parts.ts';
import { principalRecord } from './records.ts';
import * as store from './store.ts';

export async function showPrincipal(
  { db }: ServicePrincipalParts,
  caller: Caller,
  id: string,
): Promise<ServicePrincipalDetail> {
  const { row, team } = await loadPrincipalRow(db, id);
  authorize(caller, 'principal.read', team);
  return { ...principalRecord(row), can: can(caller, team, principalActions) };
}

/** Throws `not_found` for a missing or hidden one. */
export async function loadPrincipalRow(
  db: Reader,
  id: string,
): Promise<{ row: store.ServicePrincipalRow; team: TeamSubject }> {
  const row = await store.principalById(db, id);
  if (row === undefined) throw new Problem('not_found');
  return { row, team: { kind: 'team', id: row.team_id, name: row.team } };
}

export async function readBack(db: Reader, id: string): Promise<ServicePrincipal> {
  return principalRecord((await loadPrincipalRow(db, id)).row);
}
