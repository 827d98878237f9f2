// The door: the one listener for all that containers of agents call, on each of their networks. Which ports this process opens follows from its roles.
import type { Config } from '../ground/config/config.ts';
import { forward } from '../governance/http/forward.ts';
import type { HttpParts } from '../governance/http/mount.ts';

interface Door {
  ports: number[];
  elsewhere: NonNullable<HttpParts['elsewhere']>;
  close(): Promise<void>;
}

/**
 * The role gateway opens DOOR_PORT, and passes calls of subagents on when the role ingress runs in another process. That process opens the
 * second port. A process with both roles opens both ports and serves all at each of them: containers of earlier releases call the second one.
 */
export function openDoor({ roles, door: { port, second_port } }: Config): Door {
  const [hasGateway, hasIngress] = [roles.includes('gateway'), roles.includes('ingress')];
  const ports = [...(hasGateway ? [port] : []), ...(hasIngress ? [second_port] : [])];
  if (hasIngress) return { ports, elsewhere: {}, close: async () => await Promise.resolve() };
  const { pass, close } = forward(second_port);
  return { ports, elsewhere: { ingress: pass }, close };
}
