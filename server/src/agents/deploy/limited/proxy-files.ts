import { proxyVariables } from '../egress.ts';
import type { Outgoing, SecretFiles } from '../targets/target.ts';
import { egressToken, proxyUrlOf } from './egress-token.ts';

/** How an instance with limits gets outside. Undefined: it has none. */
export function proxyFiles(
  { proxy_url, proxy_asks_token, service_url }: Outgoing,
  { revision_id, ingress_key }: { revision_id: string; ingress_key: Buffer },
): SecretFiles | undefined {
  if (proxy_url === undefined) return undefined;
  if (proxy_asks_token !== true) return proxyVariables(proxy_url);
  return {
    ...proxyVariables(proxyUrlOf(ingress_key, { proxy_url, revision_id }), [new URL(service_url).hostname]),
    // By its name among the secrets, the wrapper masks it in errors.
    SVC_EGRESS_TOKEN: egressToken(ingress_key, revision_id),
  };
}
