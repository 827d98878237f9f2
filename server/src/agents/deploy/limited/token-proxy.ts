// The way out of limited agents on other machines, at an address that an operator gives it. Whoever asks names its revision and shows the token of
// it. The database says for each connection what the revision reaches. So a revision without an instance reaches nothing.
import type { Socket } from 'node:net';
import {
  CredentialRefused,
  DestinationForbidden,
  startForwardProxy,
  type Asked,
  type ForwardProxy,
} from '../../../assets/docker/forward-proxy.ts';
import type { Database } from '../../../ground/database/database.ts';
import { isSameSecret } from '../../../ground/is-same-secret.ts';
import { egress_limits, openDestination, type Destinations } from '../targets/open-destination.ts';
import { egressToken } from './egress-token.ts';
import * as store from './limits-store.ts';

interface TokenProxyInput extends Destinations {
  db: Database;
  ingress_key: Buffer;
  address: string;
  port: number;
}

/** Of one revision. The pods of a node may share an address, so it says nothing. */
const max_connections = 256;

export async function startTokenProxy(input: TokenProxyInput): Promise<ForwardProxy> {
  const { db, ingress_key, address, port } = input;
  const counts = new Map<string, number>();

  const open = async (asked: Asked): Promise<Socket> => {
    const { name = '', password = '' } = asked.credential ?? {};
    if (!isSameSecret(password, egressToken(ingress_key, name)))
      throw new CredentialRefused('No agent has this credential');
    const limits = await store.limitsOf(db, name);
    if (limits === undefined) throw new DestinationForbidden('The agent is not deployed');
    const count = (change: 1 | -1) => {
      const left = (counts.get(name) ?? 0) + change;
      if (left === 0) counts.delete(name);
      else counts.set(name, left);
      return left;
    };
    if (count(1) > max_connections) {
      count(-1);
      throw new DestinationForbidden(`The agent has ${max_connections} open connections`);
    }
    try {
      const socket = await openDestination(input, { ...limits, revision_id: name }, asked);
      socket.once('close', () => void count(-1));
      return socket;
    } catch (error) {
      count(-1);
      throw error;
    }
  };
  return await startForwardProxy({ ...egress_limits, address, port, open });
}
