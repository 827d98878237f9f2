// The agents' way out of the internal network: a forward proxy on its gateway address. Each container reaches exactly the destinations in
// its own label, which only the service sets. Its address names it: it has neither NET_ADMIN nor NET_RAW, so it can use no other. The proxy
// asks the engine for each connection, because the next container gets the address of a removed one. It resolves names itself and connects
// to the checked address. An unknown container reaches nothing.
import type { Socket } from 'node:net';
import { ask, type Engine } from '../../../../assets/docker/client.ts';
import {
  DestinationForbidden,
  startForwardProxy,
  type Asked,
  type ForwardProxy,
} from '../../../../assets/docker/forward-proxy.ts';
import { label, ownedBy } from '../../../../assets/docker/labels.ts';
import type { Network } from '../../../../assets/docker/networks.ts';
import { egress_limits, openDestination, type Destinations, type EgressClient } from '../open-destination.ts';

export interface EgressProxyInput extends Destinations {
  engine: Engine;
  network: Pick<Network, 'name' | 'gateway'>;
  port: number;
  /** Whose containers these are, by their label. Default: agents. */
  purpose?: string;
}

const max_connections_per_client = 256;

export async function startEgressProxy(input: EgressProxyInput): Promise<ForwardProxy> {
  const { network, port } = input;
  const clients = sharedQuestion(async () => await readClients(input));

  const open = async (asked: Asked): Promise<Socket> => {
    const client = (await clients()).get(asked.client);
    if (client === undefined) throw new DestinationForbidden('This container is unknown to the service');
    return await openDestination(input, client, asked);
  };
  return await startForwardProxy({
    ...egress_limits,
    max_connections_per_client,
    address: network.gateway,
    port,
    open,
  });
}

/** The running containers on the network, by address. */
async function readClients({
  engine,
  network,
  purpose = 'agent',
}: EgressProxyInput): Promise<Map<string, EgressClient>> {
  const filters = { ...ownedBy(engine, purpose), network: [network.name] };
  const containers = await ask(engine.docker.listContainers({ filters }), { seconds: 15 });
  return new Map(
    containers.flatMap(({ NetworkSettings, Labels }): [string, EgressClient][] => {
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
