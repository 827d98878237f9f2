import { z } from 'zod';
import { unlessNamed } from './clients.ts';
import type { Ecs } from './ecs-platform.ts';
import { secretName } from './requests.ts';

/** Secrets Manager keeps two. A value from before is not masked in what a replica has printed then. */
const stages = ['AWSCURRENT', 'AWSPREVIOUS'];

const values = z.record(z.string(), z.string());

/** The values that replicas got under these names, for the mask. */
export async function earlierValues(
  ecs: Ecs,
  { name, names }: { name: string; names: readonly string[] },
  signal: AbortSignal,
): Promise<string[]> {
  const kept = await Promise.all(
    stages.map(async (VersionStage) => {
      const reading = ecs.clients.secrets.getSecretValue(
        { SecretId: secretName(name, ecs), VersionStage },
        { abortSignal: signal },
      );
      return (await unlessNamed(['ResourceNotFoundException'], reading))?.SecretString;
    }),
  );
  const got = kept.map((text) => (text === undefined ? {} : values.parse(JSON.parse(text))));
  return got.flatMap((one) => names.flatMap((each) => one[each] ?? []));
}
