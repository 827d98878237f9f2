import { Problem } from '@gantry/contract/problems.ts';
import type { SecretFiles } from '../target.ts';
import type { Ecs } from './ecs-platform.ts';
import { findService } from './observe.ts';
import { scaled_tag, scaling, secretName } from './requests.ts';
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
  await clients.ecs.tagResource(
    { resourceArn: service.serviceArn, tags: [{ key: scaled_tag, value: String(Date.now()) }] },
    { abortSignal: signal },
  );
  // Before the number: ECS chooses itself which of too many it ends. It makes no successor in the moment between.
  for (const task of leaving)
    if ((await ownTask(ecs, { name, task }, signal)) !== undefined)
      await clients.ecs.stopTask({ cluster: settings.cluster, task, reason: 'it leaves' }, { abortSignal: signal });
  const isGivenUp = service.deployments?.find(({ status }) => status === 'PRIMARY')?.rolloutState === 'FAILED';
  const restarts = isGivenUp && replicas > 0;
  await clients.ecs.updateService(scaling(name, ecs, { replicas, restarts }), { abortSignal: signal });
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
