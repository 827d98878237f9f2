import { runningVersion } from '../deploy/serving/running-version.ts';
import { whyUnguardedNow } from '../deploy/steps/1-validate.ts';
import type { Cursors } from '../../governance/http/cursor.ts';
import type { Handlers } from '../../governance/http/handlers.ts';
import { approve } from './approve.ts';
import { comment } from './comment.ts';
import { list } from './list.ts';
import { reject } from './reject.ts';
import { revoke } from './revoke.ts';
import { show } from './show.ts';
import { submit, type SubmitParts } from './submit.ts';
import { withdraw } from './withdraw.ts';

export function approvalsRoutes({
  db,
  cursors,
  targets,
  planFor,
}: SubmitParts & { cursors: Cursors }): Handlers<'approvals'> {
  return {
    'approvals.list': async ({ caller, query }) => await list(db, cursors, caller, query),
    'approvals.submit': async ({ caller, body }) => await submit({ db, targets, planFor }, caller, body),
    'approvals.show': async ({ caller, params }) =>
      await show({ db, findRunning: runningVersion, whyUnguarded: whyUnguardedNow, planFor }, caller, params.id),
    'approvals.approve': async ({ caller, params, body }) =>
      await approve({ db, planFor }, caller, params.id, body.reason),
    'approvals.reject': async ({ caller, params, body }) => await reject(db, caller, params.id, body.reason),
    'approvals.withdraw': async ({ caller, params }) => await withdraw(db, caller, params.id),
    'approvals.revoke': async ({ caller, params, body }) => await revoke(db, caller, params.id, body.reason),
    'approvals.comment': async ({ caller, params, body: { message, file = null, line = null } }) =>
      await comment(db, caller, params.id, { message, file, line }),
  };
}
