// `deploy.target` of an orchestration. It runs in the service itself, so this names the target on which all its members serve, also those inside
// its orchestrations. A deploy checks that, and so does each call, because the default target of an agent can change in between.
import type { OrchestrationConfig } from '@gantry/project/orchestration-yaml.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { meantTarget } from '../../../assets/targets/find-targets.ts';
import type { ServingInput } from '../../deploy/serving/serving-inputs.ts';

export interface WantedTarget {
  /** Of the orchestration that wants it. */
  ref: string;
  /** As the file has it. */
  target: string;
}

export function wantedBy(ref: string, { deploy }: OrchestrationConfig): WantedTarget[] {
  return deploy?.target === undefined ? [] : [{ ref, target: deploy.target }];
}

/** Throws `member_changed` for an agent that serves elsewhere. */
export async function refuseElsewhere(
  db: Reader,
  wanted: readonly WantedTarget[],
  { ref, serving }: { ref: string; serving: ServingInput },
): Promise<void> {
  for (const one of wanted) {
    const fault = await elsewhere(db, one, { ref, serving });
    if (fault !== undefined) throw new Problem('member_changed', { detail: fault.message, hint: fault.command });
  }
}

export async function elsewhere(
  db: Reader,
  wanted: WantedTarget,
  { ref, serving }: { ref: string; serving: ServingInput },
): Promise<{ message: string; command: string } | undefined> {
  const target = await meantTarget(db, wanted.target);
  if (serving.target === target) return undefined;
  const message = `${ref} serves on the target ${serving.target}, and \`deploy.target\` of ${wanted.ref} is ${wanted.target}.`;
  return { message, command: `svc deploy ${ref}@${serving.version} --target ${target}` };
}
