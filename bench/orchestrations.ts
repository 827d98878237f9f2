// Orchestrations: what a call of a member costs beside the same call of the agent, and many runs at once that wait for their members.
import { deployMember, deployOrchestration } from './orchestrations/members.ts';
import { measureMemberCall } from './orchestrations/member-call.ts';
import { measureWaitingRuns } from './orchestrations/waiting-runs.ts';
import type { Row } from './report/row.ts';
import type { Measured } from './service/service.ts';

export async function measure(measured: Measured, options: { quick: boolean }): Promise<Row[]> {
  const ref = await deployMember(measured);
  await deployOrchestration(measured, 'one', 1);
  await deployOrchestration(measured, 'five', 5);
  return [...(await measureMemberCall(measured, options)), ...(await measureWaitingRuns(measured, ref))];
}
