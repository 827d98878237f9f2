import { z } from 'zod';
import type { SecretFiles } from '../target.ts';
import { seal, unseal } from '../sealed.ts';
import { unlessMissing } from './azure-client.ts';
import type { AzureRun } from './container-apps-platform.ts';
import { appName, secret_name } from './requests.ts';

const secrets = z.object({
  value: z.array(z.object({ name: z.string(), value: z.string().max(200_000).nullish() })),
});
const values = z.record(z.string(), z.string());

export const sealedFor = (run: AzureRun, revision_id: string, files: SecretFiles): string =>
  seal(run.sealingKey(revision_id), JSON.stringify(files));

/** What a replica got, as it got it. Undefined for a missing replica, and for one without the secret. */
export async function sealedOf(run: AzureRun, id: string, signal?: AbortSignal): Promise<string | undefined> {
  const request = { method: 'ContainerApps.listSecrets', name: appName(run.settings, id) } as const;
  const found = await unlessMissing(run.azure.call(request, secrets, signal));
  return found?.value.find(({ name }) => name === secret_name)?.value ?? undefined;
}

/** The values that a replica got under these names, for the mask. */
export async function earlierValues(
  run: AzureRun,
  { id, revision_id, names }: { id: string; revision_id: string; names: readonly string[] },
  signal?: AbortSignal,
): Promise<string[]> {
  const sealed = await sealedOf(run, id, signal);
  if (sealed === undefined) return [];
  const got = values.parse(JSON.parse(unseal(run.sealingKey(revision_id), sealed)));
  return names.flatMap((name) => got[name] ?? []);
}
