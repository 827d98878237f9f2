// The door: the one listener for all that containers of agents call, on each of their networks. Which ports this process opens follows from its roles.
import { readFile } from 'node:fs/promises';
import type { Config } from '../ground/config/config.ts';
import type { Certificate } from '../governance/http/listening/serve.ts';
import { forward } from '../governance/http/forward.ts';
import type { DoorTls } from '../agents/deploy/dial-in/handed-over.ts';
import type { HttpParts } from '../governance/http/mount.ts';

/** What the listeners of the door and its clients inside the service need for TLS. Undefined: they speak HTTP. */
export async function readDoorTls({
  door: { tls },
}: Pick<Config, 'door'>): Promise<{ server: Certificate | undefined; client: DoorTls } | undefined> {
  if (tls === undefined) return undefined;
  const { own, servername } = tls;
  const read = async (file: string) => await readFile(file, 'utf8');
  const server = own && { cert: await read(own.certificate_file), key: await read(own.key_file) };
  return { server, client: { ca: await read(tls.ca_file), servername } };
}

interface Door {
  ports: number[];
  elsewhere: NonNullable<HttpParts['elsewhere']>;
  close(): Promise<void>;
}

/**
 * The role gateway opens DOOR_PORT, and passes calls of subagents on when the role ingress runs in another process. That process opens the
 * second port. A process with both roles opens both ports and serves all at each of them: containers of earlier releases call the second one.
 */
export function openDoor({ roles, door }: Pick<Config, 'roles' | 'door'>, tls: DoorTls | undefined): Door {
  const { port, second_port, ingress_host: host } = door;
  const [hasGateway, hasIngress] = [roles.includes('gateway'), roles.includes('ingress')];
  const ports = [...(hasGateway ? [port] : []), ...(hasIngress ? [second_port] : [])];
  if (hasIngress) return { ports, elsewhere: {}, close: async () => await Promise.resolve() };
  const { pass, close } = forward({ port: second_port, host, tls });
  return { ports, elsewhere: { ingress: pass }, close };
}
