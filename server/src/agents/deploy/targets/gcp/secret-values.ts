import { z } from 'zod';
import { Problem } from '@gantry/contract/problems.ts';
import type { SecretFiles } from '../target.ts';
import type { CloudRun } from './cloud-run-platform.ts';
import { unlessRefused } from './google.ts';
import { secretName, secretVersion } from './requests.ts';
import { seal, unseal } from '../sealed.ts';

/** The value of one environment variable. */
const most_bytes = 32_768;
/** A value from before these is not masked in what a replica has printed then. */
const kept_versions = 2;

const secret = z.object({ labels: z.record(z.string(), z.string()).default({}) });
const versions = z.object({
  versions: z.array(z.object({ name: z.string(), state: z.string() })).default([]),
});
const payload = z.object({ payload: z.object({ data: z.string().max(200_000) }) });
const values = z.record(z.string(), z.string());

export async function readSecret(run: CloudRun, name: string, signal?: AbortSignal): Promise<z.output<typeof secret>> {
  const request = { method: 'secretmanager.projects.secrets.get', name: secretName(name, run) } as const;
  return await run.google.call(request, secret, signal);
}

/** Replicas that start from now on get it. Versions before the last two are destroyed. */
export async function writeSecret(
  run: CloudRun,
  { name, revision_id, files }: { name: string; revision_id: string; files: SecretFiles },
  signal?: AbortSignal,
): Promise<void> {
  const sealed = seal(run.sealingKey(revision_id), JSON.stringify(files));
  if (sealed.length > most_bytes)
    throw new Problem('start_failed', {
      detail: `The sealed secrets of the agent have ${sealed.length} bytes. Cloud Run takes ${most_bytes} in one variable.`,
    });
  await run.google.call(secretVersion(name, run, sealed), z.unknown(), signal);
  const before = (await enabledVersions(run, name, signal)).slice(kept_versions);
  for (const version of before)
    await run.google.call(
      { method: 'secretmanager.projects.secrets.versions.destroy', name: version, body: {} },
      z.unknown(),
      signal,
    );
}

/** The values that replicas got under these names, for the mask. */
export async function earlierValues(
  run: CloudRun,
  { name, revision_id, names }: { name: string; revision_id: string; names: readonly string[] },
  signal?: AbortSignal,
): Promise<string[]> {
  const kept = await enabledVersions(run, name, signal);
  const got = await Promise.all(
    kept.slice(0, kept_versions).map(async (version) => {
      const request = { method: 'secretmanager.projects.secrets.versions.access', name: version } as const;
      const { data } = (await run.google.call(request, payload, signal)).payload;
      const sealed = Buffer.from(data, 'base64').toString();
      return values.parse(JSON.parse(unseal(run.sealingKey(revision_id), sealed)));
    }),
  );
  return got.flatMap((one) => names.flatMap((each) => one[each] ?? []));
}

export async function deleteSecret(run: CloudRun, name: string, signal?: AbortSignal): Promise<void> {
  const request = { method: 'secretmanager.projects.secrets.delete', name: secretName(name, run) } as const;
  await unlessRefused(['NOT_FOUND'], run.google.call(request, z.unknown(), signal));
}

/** The names, the newest first. Their last part is a number that grows. */
async function enabledVersions(run: CloudRun, name: string, signal?: AbortSignal): Promise<string[]> {
  const request = {
    method: 'secretmanager.projects.secrets.versions.list',
    name: secretName(name, run),
    query: { pageSize: '100' },
  } as const;
  const found = (await unlessRefused(['NOT_FOUND'], run.google.call(request, versions, signal)))?.versions ?? [];
  const number = (one: string) => Number(one.slice(one.lastIndexOf('/') + 1));
  return found
    .filter(({ state }) => state === 'ENABLED')
    .map((one) => one.name)
    .toSorted((one, other) => number(other) - number(one));
}
