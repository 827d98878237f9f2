import { z } from 'zod';
import { Problem } from '@gantry/contract/problems.ts';
import type { TargetFinding } from '@gantry/contract/assets/targets.ts';
import { tried } from '../tried.ts';
import type { AccessToken } from './credential.ts';
import type { Google } from './google.ts';
import { act_as, sent_permissions } from './policy.ts';
import type { MethodName } from './methods.ts';
import type { CloudRunSettings } from './settings.ts';

const held = z.object({ permissions: z.array(z.string()).default([]) });

const parts = [
  { part: 'Cloud Run', of: 'run.' },
  { part: 'Secret Manager', of: 'secretmanager.' },
  { part: 'Cloud Logging', of: 'logging.' },
] as const;

/** The identity, and every permission that the service uses. A missing one is named. */
export async function testProject(
  { google, token, settings }: { google: Google; token: AccessToken; settings: CloudRunSettings },
  signal: AbortSignal,
): Promise<TargetFinding[]> {
  const identity = await tried('identity', async () => {
    await token(signal);
    return 'Google accepts the credential';
  });
  if (!identity.works) return [identity];
  const ofProject = parts.map(
    async ({ part, of }) =>
      await tried(part, async () => {
        const wanted = sent_permissions.filter((permission) => permission.startsWith(of));
        const method = 'cloudresourcemanager.projects.testIamPermissions';
        return await allOf(google, { method, name: `projects/${settings.project}`, wanted }, signal);
      }),
  );
  const account = tried('service account', async () => {
    const method = 'iam.projects.serviceAccounts.testIamPermissions';
    const name = `projects/${settings.project}/serviceAccounts/${settings.service_account}`;
    return await allOf(google, { method, name, wanted: [act_as] }, signal);
  });
  return [identity, ...(await Promise.all([...ofProject, account]))];
}

interface Asked {
  method: MethodName;
  name: string;
  wanted: readonly string[];
}

async function allOf(google: Google, { method, name, wanted }: Asked, signal: AbortSignal): Promise<string> {
  const { permissions } = await google.call({ method, name, body: { permissions: wanted } }, held, signal);
  const missing = wanted.filter((permission) => !permissions.includes(permission));
  if (missing.length > 0)
    throw new Problem('engine_unavailable', { detail: `the service has not ${missing.join(', ')} on ${name}` });
  return `the service has ${wanted.join(', ')}`;
}
