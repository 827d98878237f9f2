// The agents' way out of the internal network: a forward proxy on its gateway address. Each container reaches exactly the destinations in
// its own label, which only the service sets. Its address names it: it has neither NET_ADMIN nor NET_RAW, so it can use no other. The proxy
// asks the engine for each connection, because the next container gets the address of a removed one. It resolves names itself and connects
// to the checked address. An unknown container reaches nothing.
import { isCovered } from '@gantry/project/agent-yaml/egress.ts';
import { connect, type LookupFunction, type Socket } from 'node:net';
import { DestinationRefused, type CheckAddresses } from '../../../../ground/outbound/outbound.ts';
import { ask, type Engine } from '../../../../assets/docker/client.ts';
import {
  DestinationForbidden,
  startForwardProxy,
  type Asked,
  type ForwardProxy,
} from '../../../../assets/docker/forward-proxy.ts';
import { label, ownedBy } from '../../../../assets/docker/labels.ts';
import type { Network } from '../../../../assets/docker/networks.ts';

export interface EgressProxyInput {
  engine: Engine;
  network: Pick<Network, 'name' | 'gateway'>;
  port: number;
  /** Whose containers these are, by their label. Default: agents. */
  purpose?: string;
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

interface Client {
  agent: string;
  revision_id: string;
  destinations: string[];
}

const limits = { max_connections: 4096, max_connections_per_client: 256, max_bytes: Infinity, idle_seconds: 300 };
const connect_ms = 10_000;

export async function startEgressProxy(input: EgressProxyInput): Promise<ForwardProxy> {
  const {
    network,
    port,
    checkAddresses,
    service = [],
    list = 'deploy.egress of agent.yaml',
    onRefused,
    onClosed,
  } = input;
  const clients = sharedQuestion(async () => await readClients(input));

  const open = async ({ client: address, host, port: asked }: Asked): Promise<Socket> => {
    const client = (await clients()).get(address);
    if (client === undefined) throw new DestinationForbidden('This container is unknown to the service');
    const destination = `${host}:${asked}`;
    const { agent, revision_id } = client;
    const refuse = (reason: string) => {
      onRefused({ agent, revision_id, destination, reason });
      return new DestinationForbidden(`${destination} ${reason}`);
    };
    const isService = service.includes(destination);
    if (!isService && !isCovered(client.destinations, { host, port: asked }))
      throw refuse(notListed(destination, list));
    const socket = await connectTo({ host, port: asked }, isService ? undefined : checkAddresses).catch(
      (error: unknown) => {
        throw error instanceof DestinationRefused ? refuse(whyPrivate(destination)) : error;
      },
    );
    socket.once('close', () =>
      onClosed({ agent, revision_id, destination, sent_bytes: socket.bytesWritten, received_bytes: socket.bytesRead }),
    );
    return socket;
  };
  return await startForwardProxy({ ...limits, address: network.gateway, port, open });
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

/** The running containers on the network, by address. */
async function readClients({ engine, network, purpose = 'agent' }: EgressProxyInput): Promise<Map<string, Client>> {
  const filters = { ...ownedBy(engine, purpose), network: [network.name] };
  const containers = await ask(engine.docker.listContainers({ filters }), { seconds: 15 });
  return new Map(
    containers.flatMap(({ NetworkSettings, Labels }): [string, Client][] => {
      const address = NetworkSettings.Networks[network.name]?.IPAddress ?? '';
      const destinations = Labels[label.egress];
      if (address === '' || destinations === undefined) return [];
      const client = {
        agent: Labels[label.agent] ?? '',
        revision_id: Labels[label.revision] ?? '',
        destinations: destinations.split(' ').filter((destination) => destination !== ''),
      };
      return [[address, client]];
    }),
  );
}

/** One question at a time. All who wait share the next one, which begins after the last of them has come. */
function sharedQuestion<T>(question: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  return async () => {
    next ??= running.then(async () => {
      next = undefined;
      const answer = question();
      running = answer.catch(() => {});
      return await answer;
    });
    return await next;
  };
}
