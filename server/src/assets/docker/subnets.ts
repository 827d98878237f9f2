import { createHash } from 'node:crypto';
import type { NetworkPurpose } from './networks.ts';

/**
 * Installations share an engine, and engines share a machine. Their networks must not overlap. Each engine of an installation gets two
 * networks in 10.192.0.0/11 and two in 10.224.0.0/11, which follow from both ids. Two installations may meet by chance, and a range may be
 * another network's: each further choice is another range.
 */
export function subnetFor(
  purpose: NetworkPurpose,
  of: { installation_id: string; engine_id: string },
  choice: number = 0,
): string {
  const [first = 0, second = 0] =
    choice === 0 ? digestOf(of) : digestOf({ ...of, engine_id: `${of.engine_id} ${choice}` });
  const place = first % 32;
  if (purpose === 'listed' || purpose === 'tools')
    return `10.${224 + place}.${second}.${purpose === 'listed' ? 0 : 128}/25`;
  return `10.${192 + place}.${second}.${purpose === 'agents' ? 0 : 128}/25`;
}

/** Three letters and digits for an engine of an installation. The kernel allows 15 characters in the name of an interface. */
export function engineMark(of: { installation_id: string; engine_id: string }): string {
  return digestOf(of).readUInt32BE(2).toString(36).padStart(3, '0').slice(-3);
}

function digestOf({ installation_id, engine_id }: { installation_id: string; engine_id: string }): Buffer {
  return createHash('sha256').update(`${installation_id} ${engine_id}`).digest();
}

/** The host's address on a network. */
export function gatewayOf(subnet: string): string {
  const [address = ''] = subnet.split('/');
  const parts = address.split('.').map(Number);
  parts[3] = (parts[3] ?? 0) + 1;
  return parts.join('.');
}
