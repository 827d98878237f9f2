// What a deploy of a version would refuse, and what the caller may do with it. Each answer is that of the endpoint's own checks.
import type { OrchestrationCheck } from '@gantry/contract/agents/orchestrations.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import { passes } from '../../../governance/access/can.ts';
import type { Database } from '../../../ground/database/database.ts';
import { subjectWithoutContainer } from '../../deploy/deployments/subject-without-container.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import { requireCallable } from '../begin.ts';
import { askedVersion, checkMembers } from './check-members.ts';
import { requireReady } from '../deploy-orchestration.ts';

export async function checkOrchestration(
  db: Database,
  caller: Caller,
  asked: { name: string; version?: string | undefined },
): Promise<OrchestrationCheck> {
  const user = signedIn(caller);
  const { asset, version, ref } = await askedVersion(db, user, asked);
  const { faults, notices } = await checkMembers(db, asset, version);
  const deploy = async () => {
    authorize(user, 'agent.deploy', await subjectWithoutContainer(db, asset, version));
    requireReady(ref, faults);
  };
  const can = {
    'orchestrations.deploy': await passes(deploy),
    'orchestrate.call': await passes(() => requireCallable(user, asset)),
  };
  return { ref, faults, notices, can };
}
