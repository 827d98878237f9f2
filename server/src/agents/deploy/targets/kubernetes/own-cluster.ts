// The cluster in which the service itself runs. Its pod has the authority and the token of its service account as files. The cluster writes another
// token before one ends, so the file is read for every request. The address is that of the pod's environment: the token goes nowhere else.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '@gantry/contract/problems.ts';
import type { TargetCredential } from '@gantry/contract/assets/targets.ts';
import type { OwnCluster } from '../../../../ground/config/own-cluster.ts';
import type { Server } from './client.ts';

export async function ownCluster(
  own: OwnCluster | undefined,
  credential: Omit<TargetCredential, 'registry'>,
): Promise<Pick<Server, 'address' | 'ca' | 'credential'>> {
  if (own === undefined)
    throw new Problem('engine_unavailable', {
      detail: 'The service runs in no cluster, so `in-cluster` names none.',
      hint: 'Give the target the address of its API server.',
    });
  if (Object.values(credential).some((given) => given !== undefined))
    throw new Problem('engine_unavailable', {
      detail:
        'The target is the cluster of the service, which has the account of its pod, and the target has another credential.',
      hint: 'Set its credential with the login of the registry alone, or give the target the address of the API server.',
    });
  return {
    address: own.address,
    ca: await textOf(own.folder, 'ca.crt'),
    credential: async () => (await textOf(own.folder, 'token')).trim(),
  };
}

async function textOf(folder: string, name: string): Promise<string> {
  try {
    return await readFile(join(folder, name), 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new Problem('engine_unavailable', {
      detail: `The pod of the service has no ${name} of a service account (${code}).`,
      hint: 'Its pod needs a service account, with automountServiceAccountToken.',
    });
  }
}
