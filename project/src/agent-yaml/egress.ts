// The destinations of an agent's outgoing connections: `deploy.egress` in agent.yaml, and the organisation's setting `agent_egress`.
import type { OrgSettings } from '@gantry/contract/people/org.ts';
import type { AgentConfig } from './config.ts';

/** `host:port`. `*.example.com:443` covers every name below example.com, and not example.com itself. */
export function isDestination(text: string): boolean {
  const [, wildcard, host = '', port] = entryPattern.exec(text) ?? [];
  if (port === undefined || Number(port) > 65_535 || host.length > 253) return false;
  // A wildcard below a single label, such as *.com, would cover nearly everything.
  return wildcard === undefined ? ipv4.test(host) || name.test(host) : name.test(host) && host.includes('.');
}

export const destinationRule =
  'must be host:port in lower case, such as api.example.com:443, 192.0.2.1:443 or *.example.com:443; a wildcard needs two further labels';

/** `host` is a name or an IPv4 address in lower case. */
export function isCovered(destinations: readonly string[], { host, port }: { host: string; port: number }): boolean {
  return destinations.some((destination) => {
    if (!destination.startsWith('*.')) return destination === `${host}:${port}`;
    return name.test(host) && `${host}:${port}`.endsWith(destination.slice(1));
  });
}

/** The destinations of a new container, besides the gateway. Undefined: its outgoing connections are not limited. */
export function egressOf(
  { agent_egress }: Pick<OrgSettings, 'agent_egress'>,
  { deploy }: Pick<AgentConfig, 'deploy'>,
): string[] | undefined {
  if (agent_egress === 'gateway_only') return [];
  return deploy?.egress ?? (agent_egress === 'open' ? undefined : []);
}

const entryPattern = /^(\*\.)?([a-z0-9.-]+):([1-9]\d{0,4})$/;
// The last label of a name begins with a letter, so no name is another spelling of an address.
const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const name = new RegExp(`^(?:${label}\\.)*(?=[a-z])${label}$`);
const octet = String.raw`(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)`;
const ipv4 = new RegExp(`^(?:${octet}\\.){3}${octet}$`);
