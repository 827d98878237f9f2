import type { DeployParts } from '../parts.ts';

/** The URL for calls to an agent. */
export function endpointOf({ base_url }: Pick<DeployParts, 'base_url'>, agent: string): string {
  return `${base_url()}/agents/${agent}/invoke`;
}
