// The member agents whose projects stand beside an orchestration.yaml. Each is deployed like any project.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { isOrchestration, type OrchestrationConfig } from '@gantry/project/orchestration-yaml.ts';
import { parseAnyRef } from '@gantry/contract/refs.ts';
import { versionByPush } from '../deploy/choose-version.ts';
import { requestDeployment } from '../deploy/request-deployment.ts';
import { watchDeployment } from '../deploy/watch-deployment.ts';
import type { Session } from '../session/session.ts';

/** Folders with the name of a member's agent. One whose content runs already is left as it is. */
export async function deployMembers(
  session: Session,
  directory: string,
  { agents }: OrchestrationConfig,
): Promise<void> {
  const names = new Set(
    agents.flatMap((member) => (isOrchestration(member) ? [] : (parseAnyRef(member.ref)?.name ?? []))),
  );
  for (const name of names) {
    const project = path.join(directory, name);
    if (!existsSync(path.join(project, 'agent.yaml'))) continue;
    const message = 'A member of an orchestration';
    const ref = await versionByPush(session, { directory: project, bump: undefined, message, target: undefined });
    const wish = { ref, target: undefined, force: false, wait: true, waitApproval: false, message };
    const deployment = await requestDeployment(session, wish);
    if (deployment === 'runs already') session.output.note(`${ref} answers already`);
    else await watchDeployment(session, deployment);
  }
}
