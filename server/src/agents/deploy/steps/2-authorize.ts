// Step 2: decides the deploy by today's roles and approvals, and puts an admin's bypass of the approval on the record.
import { change } from '../../../governance/access/change.ts';
import { describeRevocation } from '../../approvals/approval-for.ts';
import { decideDeploy } from '../decide-deploy.ts';
import type { DeployParts } from '../parts.ts';
import type { DeployRun } from '../deploy-run.ts';
import * as store from '../store.ts';

export async function authorizeDeploy(parts: DeployParts, run: DeployRun) {
  const { grant, approval_id } = await decideDeploy(parts, run);
  await store.setApproval(parts.db, run.id, approval_id);
  if (grant.bypass === 'approval') {
    const revoked = await describeRevocation(parts.db, run.input);
    if (revoked !== undefined) run.notice(revoked);
    await change(parts.db, grant, 'deploy.bypassed_approval', async (tx, note) => {
      await run.fenced(tx);
      const { version, digest, target } = run.input;
      note({ version, digest, target, approval_id, run_id: run.id });
    });
  }
  return { because: grant.because, bypass: grant.bypass ?? null, approval_id };
}
