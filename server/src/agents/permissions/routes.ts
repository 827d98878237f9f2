import type { DeployParts } from '../deploy/parts.ts';
import type { Cursors } from '../../governance/http/cursor.ts';
import type { Handlers } from '../../governance/http/handlers.ts';
import type { ReadAsOf } from '../../people/login/read-as-of.ts';
import { check } from './check.ts';
import { explain } from './explain.ts';
import { grant } from './grant.ts';
import { list } from './list.ts';
import { explainReading } from './reading-grants/explain.ts';
import { give } from './reading-grants/give.ts';
import { listReadingGrants } from './reading-grants/list.ts';
import { takeBack } from './reading-grants/take-back.ts';
import { revoke } from './revoke.ts';

export function permissionsRoutes({
  db,
  targets,
  cursors,
  readAsOf,
}: Pick<DeployParts, 'db' | 'targets'> & {
  cursors: Cursors;
  readAsOf: ReadAsOf;
}): Handlers<'permissions' | 'grants'> {
  return {
    'permissions.list': async ({ caller, query }) => await list(db, cursors, caller, query),
    'permissions.grant': async ({ caller, body }) => await grant(db, caller, body),
    'permissions.revoke': async ({ caller, params, query }) => await revoke(db, caller, params.id, query.actions),
    'permissions.check': async ({ caller, query }) => await check({ db, targets, readAsOf }, caller, query),
    'permissions.explain': async ({ caller, query }) => await explain({ db, targets }, caller, query),
    'grants.list': async ({ caller, query }) => await listReadingGrants(db, cursors, caller, query),
    'grants.create': async ({ caller, body }) => await give(db, caller, body),
    'grants.delete': async ({ caller, params }) => await takeBack(db, caller, params.id),
    'grants.explain': async ({ caller, query }) => await explainReading(db, caller, query),
  };
}
