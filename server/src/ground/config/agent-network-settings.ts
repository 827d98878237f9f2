// The settings of the agents' networks, as a part of config.ts.
import { z } from 'zod';

const subnet = z.cidrv4();
const port = z.coerce.number().int().min(1).max(65_535);
const address = z.url({ protocol: /^https?$/ }).optional();

const default_door_port = 4490;

export const agentNetworkSettings = {
  AGENTS_SUBNET: subnet.optional().describe('the network of the agents. Default: from the ids of service and engine'),
  LISTED_SUBNET: subnet.optional().describe('the network of agents with limited egress. Default: from the same ids'),
  TOOLS_SUBNET: subnet.optional().describe('the network of hosted MCP servers with egress. Default: from the same ids'),
  SANDBOX_SUBNET: subnet.optional().describe('the network of the builds. Default: from the same ids'),
  DOOR_PORT: port
    .optional()
    .describe(
      `the port on the agents' networks at which agents call the service: models, subagents and spans. Default: ${default_door_port}`,
    ),
  DOOR_URL: address.describe("an address that leads to DOOR_PORT, for agents. Default: the one on the agents' network"),
  DOOR_HOST: z
    .ipv4()
    .optional()
    .describe(
      'a further address of this machine at which DOOR_PORT listens, such as 127.0.0.1: for a proxy with TLS that agents on other machines call. In a process with some of the roles, the other processes fetch the connections of instances there, and no other process has this address and port',
    ),
  DOOR_CERTIFICATE_FILE: z
    .string()
    .optional()
    .describe(
      'a PEM file with the certificate of the door, which then speaks TLS on its ports. The host of DOOR_URL is one of its names. It needs DOOR_KEY_FILE',
    ),
  DOOR_KEY_FILE: z.string().optional().describe('a PEM file with the key of DOOR_CERTIFICATE_FILE'),
  DOOR_CA_FILE: z
    .string()
    .optional()
    .describe(
      'a PEM file with the authority of DOOR_CERTIFICATE_FILE, which the processes of the service trust among themselves. It needs DOOR_URL',
    ),
  SUBAGENTS_HOST: z
    .string()
    .optional()
    .describe(
      'the host at which the processes of the role ingress listen on SUBAGENTS_PORT, for a gateway on another machine. Default: this machine',
    ),
  SUBAGENTS_PORT: port
    .default(4492)
    .describe(
      'a second port of the same listener: an ingress without the role gateway listens there, and containers of earlier releases call it',
    ),
  GATEWAY_PORT: port.optional().describe('the former name of DOOR_PORT'),
  GATEWAY_URL: address.describe('the former name of DOOR_URL'),
  SUBAGENTS_URL: address.describe('a former name of DOOR_URL. It must equal GATEWAY_URL when both are set'),
  EGRESS_PORT: port
    .default(4491)
    .describe('the port of the proxy for agents with limited outgoing connections, on their network'),
  EGRESS_HOST: z
    .ipv4()
    .optional()
    .describe(
      'a further address of the worker at which such a proxy listens on EGRESS_PORT, for limited agents in clusters. Each shows the token of its revision. The target names the address as its pods reach it (egress_proxy_url)',
    ),
};

const shape = z.object(agentNetworkSettings);
type Given = z.output<typeof shape>;

export interface DoorConfig {
  port: number;
  /** Absent: the address on the agents' network. */
  url: string | undefined;
  /** A further address at which it listens. */
  host: string | undefined;
  /** All that containers may have been given, for the proxy of those with limits. */
  urls: string[];
  /** Absent: it speaks HTTP. */
  tls?:
    | {
        /** Absent in a process that only calls the door of others. */
        own: { certificate_file: string; key_file: string } | undefined;
        ca_file: string;
        servername: string;
      }
    | undefined;
  /** Where the ingress listens on the second port. Absent: on this machine. */
  ingress_host?: string | undefined;
  /** The port for an ingress without the role gateway, and for containers from before there was one port. */
  second_port: number;
  /** Settings under a former name, in sentences for the log. */
  notices: string[];
}

const portOf = ({ DOOR_PORT, GATEWAY_PORT }: Given): number => DOOR_PORT ?? GATEWAY_PORT ?? default_door_port;

export function doorConfig(given: Given): DoorConfig {
  const { DOOR_HOST, DOOR_URL, GATEWAY_PORT, GATEWAY_URL, SUBAGENTS_URL, SUBAGENTS_PORT } = given;
  const url = DOOR_URL ?? GATEWAY_URL ?? SUBAGENTS_URL;
  return {
    port: portOf(given),
    host: DOOR_HOST,
    // Paths are appended to it.
    url: url?.replace(/(?<!\/)\/+$/, ''),
    urls: [DOOR_URL, GATEWAY_URL, SUBAGENTS_URL].filter((one) => one !== undefined),
    tls: doorTls(given),
    ingress_host: given.SUBAGENTS_HOST,
    second_port: SUBAGENTS_PORT,
    notices: Object.entries({ GATEWAY_PORT, GATEWAY_URL, SUBAGENTS_URL }).flatMap(([name, value]) =>
      value === undefined ? [] : noticeOf(name, name.endsWith('PORT') ? 'DOOR_PORT' : 'DOOR_URL', given),
    ),
  };
}

function doorTls({ DOOR_CERTIFICATE_FILE, DOOR_KEY_FILE, DOOR_CA_FILE: ca_file, DOOR_URL }: Given): DoorConfig['tls'] {
  if (ca_file === undefined || DOOR_URL === undefined) return undefined;
  const own =
    DOOR_CERTIFICATE_FILE === undefined || DOOR_KEY_FILE === undefined
      ? undefined
      : { certificate_file: DOOR_CERTIFICATE_FILE, key_file: DOOR_KEY_FILE };
  return { own, ca_file, servername: new URL(DOOR_URL).hostname };
}

function noticeOf(name: string, now: 'DOOR_PORT' | 'DOOR_URL', given: Given): string {
  if (given[now] !== undefined) return `${name} has no effect, because ${now} is set. Remove it.`;
  if (now === 'DOOR_PORT') return `${name} is now called DOOR_PORT.`;
  return `${name} is now called DOOR_URL. Agents call models and subagents there, so it must lead to DOOR_PORT.`;
}

/** Undefined when the settings agree. */
export function doorFault(given: Given): string | undefined {
  const { DOOR_URL, GATEWAY_URL, SUBAGENTS_URL, SUBAGENTS_PORT } = given;
  if (
    DOOR_URL === undefined &&
    GATEWAY_URL !== undefined &&
    SUBAGENTS_URL !== undefined &&
    GATEWAY_URL !== SUBAGENTS_URL
  )
    return 'GATEWAY_URL and SUBAGENTS_URL differ, and agents now call models and subagents at one address. Set DOOR_URL to an address that leads to DOOR_PORT.';
  if ((given.DOOR_CERTIFICATE_FILE === undefined) !== (given.DOOR_KEY_FILE === undefined))
    return 'DOOR_CERTIFICATE_FILE and DOOR_KEY_FILE belong together. Set both.';
  if (given.DOOR_CERTIFICATE_FILE !== undefined && given.DOOR_CA_FILE === undefined)
    return 'DOOR_CA_FILE is missing. A door with TLS needs it: the processes of the service trust the door by it.';
  if (given.DOOR_CA_FILE !== undefined && DOOR_URL === undefined)
    return 'DOOR_URL is missing. DOOR_CA_FILE needs it: its host is the name in the certificate of the door.';
  if (portOf(given) === SUBAGENTS_PORT)
    return 'SUBAGENTS_PORT is the port of DOOR_PORT. Set one of them to another port.';
  return undefined;
}
