import { roleNames, type Config } from '../../../ground/config/config.ts';
import { openDialled } from './dialled.ts';
import { openSharedDialled, type SharedDialled, type Sharing } from './shared-dialled.ts';

type Parts = Omit<Sharing, 'address'>;

/** In memory in a process with all roles, else shared with the other processes. */
export function openConnections(config: Config, parts: Parts): SharedDialled {
  if (hasAllRoles(config)) return { dialled: openDialled(), upgrade: undefined };
  return openSharedDialled({ ...parts, address: addressOf(config) });
}

/** Whether instances may join at the door of this process: the others find them there. */
export const takesInstances = (config: Config): boolean => hasAllRoles(config) || addressOf(config) !== undefined;

const hasAllRoles = ({ roles }: Config) => roleNames.every((role) => roles.includes(role));

function addressOf({ roles, door: { host, port } }: Config): string | undefined {
  return host === undefined || !roles.includes('gateway') ? undefined : `${host}:${port}`;
}
