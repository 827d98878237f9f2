import type { ServerWay } from '@gantry/contract/assets/outside-registry.ts';

/** Before the check of the whole config. */
export interface FoundWay extends Pick<ServerWay, 'of' | 'variables' | 'left_out'> {
  config: NonNullable<ServerWay['config']>;
}

/** Why a remote or a package cannot be taken. */
export class NotTaken extends Error {}
