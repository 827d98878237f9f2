import { Problem } from '@gantry/contract/problems.ts';
import type { TeamSubject } from '../../governance/access/subject.ts';
import type { Reader } from '../../ground/database/database.ts';
import * as teamStore from './team-store.ts';

/** Throws `not_found` for a missing and for a hidden team. */
export async function loadTeam(db: Reader, name: string): Promise<TeamSubject> {
  const row = await teamStore.teamByName(db, name);
  if (row === undefined) throw new Problem('not_found');
  return { kind: 'team', id: row.id, name: row.name };
}
