// A connection of a limited agent to the outside, through a proxy of the service. The proxy knows who asks. Here is what the client may reach: the
// destinations of its container or pod, and the parts of the service. The proxy resolves names itself and connects to the checked address.
import { isCovered } from '@gantry/project/agent-yaml/egress.ts';
import { connect, type LookupFunction, type Socket } from 'node:net';
import { DestinationForbidden, type Asked } from '../../../assets/docker/forward-proxy.ts';
import { DestinationRefused, type CheckAddresses } from '../../../ground/outbound/outbound.ts';

export interface Destinations {
  /** Where a person lists a destination. */
  list?: string;
  checkAddresses: CheckAddresses;
  /** `host:port` of parts of the service at another address. An operator has set them, so they may be private. */
  service?: readonly string[];
  onRefused: (refused: RefusedEgress) => void;
  onClosed: (used: UsedEgress) => void;
}

export interface RefusedEgress {
  /** Or the reference of an MCP server, which has no revision. */
  agent: string;
  revision_id: string;
  /** `host:port` */
  destination: string;
  reason: string;
}

export interface UsedEgress {
  agent: string;
  revision_id: string;
  destination: string;
  sent_bytes: number;
  received_bytes: number;
}

/** Whoever asks, as the proxy knows it. */
export interface EgressClient {
  agent: string;
  revision_id: string;
  destinations: string[];
}

export const egress_limits = { max_connections: 4096, max_bytes: Infinity, idle_seconds: 300 };
const connect_ms = 10_000;

/** Throws DestinationForbidden with the reason. */
export async function openDestination(
  { list = 'deploy.egress of agent.yaml', checkAddresses, service = [], onRefused, onClosed }: Destinations,
  { agent, revision_id, destinations }: EgressClient,
  { host, port }: Pick<Asked, 'host' | 'port'>,
): Promise<Socket> {
  const destination = `${host}:${port}`;
  const refuse = (reason: string) => {
    onRefused({ agent, revision_id, destination, reason });
    return new DestinationForbidden(`${destination} ${reason}`);
  };
  const isService = service.includes(destination);
  if (!isService && !isCovered(destinations, { host, port })) throw refuse(notListed(destination, list));
  const socket = await connectTo({ host, port }, isService ? undefined : checkAddresses).catch((error: unknown) => {
    throw error instanceof DestinationRefused ? refuse(whyPrivate(destination)) : error;
  });
  socket.once('close', () =>
    onClosed({ agent, revision_id, destination, sent_bytes: socket.bytesWritten, received_bytes: socket.bytesRead }),
  );
  return socket;
}

/** With the line to add. */
function notListed(destination: string, list: string): string {
  return `is not in ${list}; add "${destination}" to that list`;
}

function whyPrivate(destination: string): string {
  return `has no address outside this machine and private networks; an operator can list it: svc server set OUTBOUND_PRIVATE_HOSTS+=${destination}`;
}

async function connectTo(
  { host, port }: Pick<Asked, 'host' | 'port'>,
  check: CheckAddresses | undefined,
): Promise<Socket> {
  const addresses = await check?.(host, port);
  // The addresses were checked, so the connection must not resolve the name again.
  const lookup: LookupFunction | undefined =
    addresses && ((_, { all }, found) => (all === true ? found(null, addresses) : found(null, ...firstOf(addresses))));
  const socket = connect({ host, port, ...(lookup === undefined ? {} : { lookup }) });
  socket.setTimeout(connect_ms, () => socket.destroy(new Error('no connection in time')));
  await new Promise<void>((resolve, reject) => void socket.once('connect', resolve).once('error', reject));
  socket.setTimeout(0).removeAllListeners('timeout');
  return socket;
}

function firstOf([{ address, family }]: Awaited<ReturnType<CheckAddresses>>): [string, number] {
  return [address, family];
}
