import { createHash } from 'node:crypto';

export interface Subnets {
  agents: string;
  /** Of agents whose outgoing connections are limited. */
  listed: string;
  sandbox: string;
}

/**
 * Installations share an engine, and its networks must not overlap. Each gets two networks in 10.192.0.0/11 and one in 10.224.0.0/11 that
 * follow from its id.
 */
export function subnetsOf(
  installation_id: string,
  given: { agents_subnet: string | undefined; listed_subnet: string | undefined; sandbox_subnet: string | undefined },
): Subnets {
  const [first = 0, second = 0] = createHash('sha256').update(installation_id).digest();
  const place = first % 32;
  return {
    agents: given.agents_subnet ?? `10.${192 + place}.${second}.0/25`,
    listed: given.listed_subnet ?? `10.${224 + place}.${second}.0/25`,
    sandbox: given.sandbox_subnet ?? `10.${192 + place}.${second}.128/25`,
  };
}

/** The host's address on a network. */
export function gatewayOf(subnet: string): string {
  const [address = ''] = subnet.split('/');
  const parts = address.split('.').map(Number);
  parts[3] = (parts[3] ?? 0) + 1;
  return parts.join('.');
}
