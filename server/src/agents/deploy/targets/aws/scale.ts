import type { Service } from '@aws-sdk/client-ecs';
import type { ScalerRule } from '@gantry/project/agent-yaml/scaling.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { label } from '../../../../assets/docker/labels.ts';
import type { SecretFiles } from '../target.ts';
import type { Ecs } from './ecs-platform.ts';
import { makeScaler } from './made.ts';
import { findService, tagOf } from './observe.ts';
import { removeScaler } from './remove.ts';
import { scaledTag, scaling, secretName } from './requests.ts';
import { ruleInTag, scalableTarget, scaler_tag, scalingPolicy } from './scaler.ts';
import { ownTask } from './tasks.ts';

interface Scaling {
  name: string;
  replicas: number;
  files?: SecretFiles;
  leaving?: string[];
}

/** Of one secret of Secrets Manager. */
const most_bytes = 65_536;

export async function scaleRevision(
  ecs: Ecs,
  { name, replicas, files, leaving = [] }: Scaling,
  signal?: AbortSignal,
): Promise<void> {
  const { clients, settings } = ecs;
  const service = await findService(ecs, name, signal);
  if (service === undefined) return;
  if (files !== undefined) await writeSecret(ecs, { name, files }, signal);
  const tag = scaledTag(service.serviceArn ?? '', String(Date.now()));
  await clients.ecs.tagResource(tag, { abortSignal: signal });
  // Before the number: ECS chooses itself which of too many it ends. It makes no successor in the moment between.
  for (const task of leaving)
    if ((await ownTask(ecs, { name, task }, signal)) !== undefined)
      await clients.ecs.stopTask({ cluster: settings.cluster, task, reason: 'it leaves' }, { abortSignal: signal });
  const isGivenUp = service.deployments?.find(({ status }) => status === 'PRIMARY')?.rolloutState === 'FAILED';
  const restarts = isGivenUp && replicas > 0;
  const rule = ruleInTag(tagOf(service, scaler_tag));
  const isScaled = rule !== undefined && replicas >= rule.min;
  if (!isScaled) await removeScaler(ecs, name, signal);
  await clients.ecs.updateService(scaling(name, ecs, { replicas, restarts }), { abortSignal: signal });
  if (isScaled) await makeOwnScaler(ecs, { service, name, rule }, signal);
}

async function makeOwnScaler(
  ecs: Ecs,
  { service, name, rule }: { service: Service; name: string; rule: ScalerRule },
  signal: AbortSignal = AbortSignal.timeout(60_000),
): Promise<void> {
  const of = { agent: tagOf(service, label.agent) ?? '', revision_id: tagOf(service, label.revision) ?? '' };
  const target = scalableTarget(name, ecs.settings, rule);
  await makeScaler({ ...ecs, of, signal }, { name, target, policy: scalingPolicy(name, ecs.settings, rule) });
}

/**
 * Replicas that start from now on get it. The client makes a token for each call: one that followed from the value would leave the newer value in
 * place when an older one comes back.
 */
async function writeSecret(
  ecs: Ecs,
  { name, files }: { name: string; files: SecretFiles },
  signal?: AbortSignal,
): Promise<void> {
  const SecretString = JSON.stringify(files);
  const bytes = Buffer.byteLength(SecretString);
  if (bytes > most_bytes)
    throw new Problem('start_failed', {
      detail: `The secrets of the agent have ${bytes} bytes. AWS Secrets Manager keeps ${most_bytes} in one secret.`,
    });
  const input = { SecretId: secretName(name, ecs), SecretString };
  await ecs.clients.secrets.putSecretValue(input, { abortSignal: signal });
}
