import { createHash } from 'node:crypto';

export interface Subnets {
  agents: string;
  sandbox: string;
}

/** Installations share an engine, and its networks must not overlap. Each gets two networks in 10.192.0.0/11 that follow from its id. */
export function subnetsOf(
  installation_id: string,
  given: { agents_subnet: string | undefined; sandbox_subnet: string | undefined },
): Subnets {
  const [first = 0, second = 0] = createHash('sha256').update(installation_id).digest();
  const network = `10.${192 + (first % 32)}.${second}`;
  return { agents: given.agents_subnet ?? `${network}.0/25`, sandbox: given.sandbox_subnet ?? `${network}.128/25` };
}

/** The host's address on a network. */
export function gatewayOf(subnet: string): string {
  const [address = ''] = subnet.split('/');
  const parts = address.split('.').map(Number);
  parts[3] = (parts[3] ?? 0) + 1;
  return parts.join('.');
}
