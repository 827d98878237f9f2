import { Problem } from '@gantry/contract/problems.ts';
import type { Service } from '@aws-sdk/client-ecs';
import { label } from '../../../../assets/docker/labels.ts';
import type { Described } from '../replicas/platform.ts';
import type { Ecs } from './ecs-platform.ts';
import { makeLogGroup, makeSecret, makeService, makeTaskDefinition, recordDescribed } from './made.ts';
import { findService, tagOf } from './observe.ts';
import { brokenRules } from './plan-rules.ts';
import { planOf, type Plan } from './plan.ts';
import { descriptionTags, digest_tag, digestOf, service, taskDefinition } from './requests.ts';

/** Makes what the revision needs, and nothing for a description that is there. Throws `start_failed` for one that AWS would refuse. */
export async function describeRevision(ecs: Ecs, described: Described, signal: AbortSignal): Promise<Plan> {
  const plan = planOf(described, ecs);
  const broken = brokenRules(plan);
  if (broken.length > 0) throw new Problem('start_failed', { detail: broken.join(' ') });
  const known = await findService(ecs, described.name, signal);
  const digest = digestOf(plan.task_definition);
  if (known !== undefined && isDescribed(known, { ...described, digest })) return plan;
  const making = { ...ecs, of: described, signal };
  await makeLogGroup(making, plan.log_group);
  const secret_arn = await makeSecret(making, plan.secret);
  const defined = taskDefinition(described, ecs, { secret_arn });
  const task_definition = await makeTaskDefinition(making, defined);
  const wanted = service(described, ecs, { task_definition, digest });
  if (known === undefined) await makeService(making, wanted, defined);
  else {
    await recordDescribed(making, wanted, defined);
    await redescribe(ecs, { known, task_definition, fence: described.fence, digest }, signal);
  }
  return plan;
}

/** Throws for one of a newer attempt. */
function isDescribed(
  known: Service,
  { name, fence, digest }: { name: string; fence: number; digest: string },
): boolean {
  if (tagOf(known, digest_tag) === digest) return true;
  if (Number(tagOf(known, label.fence)) > fence) throw new Error(`The service ${name} has a newer fence`);
  return false;
}

interface Redescribed {
  known: Service;
  task_definition: string;
  fence: number;
  digest: string;
}

/** ECS replaces the replicas that run, if any. The tag is last: after a crash the step is repeated. */
async function redescribe(
  { clients, settings }: Ecs,
  { known, task_definition, ...description }: Redescribed,
  signal: AbortSignal,
): Promise<void> {
  const { serviceName, serviceArn } = known;
  await clients.ecs.updateService(
    { cluster: settings.cluster, service: serviceName, taskDefinition: task_definition },
    { abortSignal: signal },
  );
  await clients.ecs.tagResource(
    { resourceArn: serviceArn, tags: descriptionTags(description) },
    { abortSignal: signal },
  );
}
