import type { DeployParts } from './parts.ts';

/** Where an agent takes calls. */
export function endpointOf({ base_url }: Pick<DeployParts, 'base_url'>, agent: string): string {
  return `${base_url()}/agents/${agent}/invoke`;
}
