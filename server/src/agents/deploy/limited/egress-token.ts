// The credential of a limited revision at the proxy of the service, for a target whose instances have no address that names them. It is derived
// and never stored. The agent's own code can read it: it opens the destinations of that agent, and nothing else.
import { createHmac } from 'node:crypto';

export const egressToken = (ingress_key: Buffer, revision_id: string): string =>
  createHmac('sha256', ingress_key).update(`egress ${revision_id}`).digest('base64url');

/** The address of the proxy, as HTTP clients of the revision get it. */
export function proxyUrlOf(
  ingress_key: Buffer,
  { proxy_url, revision_id }: { proxy_url: string; revision_id: string },
): string {
  const url = new URL(proxy_url);
  url.username = revision_id;
  url.password = egressToken(ingress_key, revision_id);
  return url.href.replace(/\/$/, '');
}
