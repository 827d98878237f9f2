import { ingressSecret } from '../serving/ingress-secret.ts';
import type { DeployParts } from '../parts.ts';
import type { Place } from '../targets/target.ts';
import type { ProvenAddress } from './proven-client.ts';

interface Reached {
  /** The id of the instance. */
  id: string;
  revision_id: string;
  target: string;
  place: Place;
  url: string;
}

/** Where and how the service asks an instance. */
export function addressOf(
  { ingress_key, targets }: Pick<DeployParts, 'ingress_key' | 'targets'>,
  { id, revision_id, target, place, url }: Reached,
): ProvenAddress {
  return {
    instance_id: id,
    url,
    secret: ingressSecret(ingress_key, revision_id),
    reach: async () => await (await targets.find(target)).reach(place, url),
  };
}
