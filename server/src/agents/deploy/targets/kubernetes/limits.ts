// What limits the outgoing connections of an agent in a cluster: a NetworkPolicy that leaves the door and the proxy of the service, and no server of
// names. A cluster may have no program that enforces policies, or one that is late. So each pod tries it from inside before the agent's own
// code starts: in a container of the same network, by Python of the base image without the agent's packages.
import { lookup as lookUp } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { V1Container, V1HostAlias, V1NetworkPolicyEgressRule, V1PodSpec } from '@kubernetes/client-node';
import { Problem } from '@gantry/contract/problems.ts';

export interface Ways {
  service_url: string;
  proxy_url: string;
}

export interface Limits {
  /** All that the pod reaches. */
  egress: V1NetworkPolicyEgressRule[];
  /** The names of the door and the proxy, because the pod asks no server of names. */
  aliases: V1HostAlias[];
  ways: Ways;
}

/** All addresses of a host. */
export type Lookup = (host: string) => Promise<string[]>;
const inSystem: Lookup = async (host) => (await lookUp(host, { all: true })).map(({ address }) => address);

/** Throws `engine_unavailable` for a name without an address. */
export async function limitsOf(ways: Ways, lookup: Lookup = inSystem): Promise<Limits> {
  const found = await Promise.all(
    urlsOf(ways).map(async (url) => {
      const at = atOf(url);
      return { ...at, addresses: isIP(at.host) === 0 ? await addressesOf(at.host, lookup) : [at.host] };
    }),
  );
  return limitsAt(ways, found);
}

/** For a plan, which looks nothing up. */
export function plannedLimits(ways: Ways): Limits {
  const found = urlsOf(ways).map((url) => ({ ...atOf(url), addresses: [addressIn(url)] }));
  return limitsAt(ways, found);
}

interface At {
  host: string;
  port: number;
}

const addressIn = (url: URL) => (isIP(atOf(url).host) === 0 ? `<address of ${url.hostname}>` : atOf(url).host);
const urlsOf = ({ service_url, proxy_url }: Ways) => [new URL(service_url), new URL(proxy_url)];
const atOf = (url: URL): At => ({ host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port: portOf(url) });

function limitsAt(ways: Ways, found: readonly (At & { addresses: string[] })[]): Limits {
  const named = new Map(found.filter(({ host }) => isIP(host) === 0).map((one) => [one.host, one.addresses]));
  return {
    egress: found.map(({ host, port, addresses }) => ({
      to: namespaceOf(host) ?? addresses.map((address) => ({ ipBlock: { cidr: `${address}/${bits(address)}` } })),
      ports: [{ port, protocol: 'TCP' }],
    })),
    aliases: [...named].flatMap(([host, addresses]) => addresses.map((ip) => ({ ip, hostnames: [host] }))),
    ways,
  };
}

const portOf = ({ port, protocol }: URL) => Number(port || (protocol === 'https:' ? 443 : 80));
const bits = (address: string) => (isIP(address) === 6 ? 128 : 32);

async function addressesOf(host: string, lookup: Lookup): Promise<string[]> {
  const found = await lookup(host).catch(() => []);
  if (found.length > 0) return found;
  throw new Problem('engine_unavailable', {
    detail: `The service finds no address of ${host}, so no NetworkPolicy can name it.`,
    hint: 'Agents with limits ask no server of names. Give `service_url` and `egress_proxy_url` hosts that the service can look up.',
  });
}

/** A cluster replaces the address of a Service by that of a pod before most programs look at the policy. So the policy names the pods. */
function namespaceOf(host: string): V1NetworkPolicyEgressRule['to'] {
  const [, namespace] = /^[a-z0-9-]+\.([a-z0-9-]+)\.svc(?:\.|$)/.exec(host) ?? [];
  return namespace === undefined
    ? undefined
    : [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } }];
}

export const gate_name = 'limits';
/** The gate ends with it when it reached what the policy closes. */
export const gate_open = 3;
/** In which a program of the cluster makes a policy effective. */
const gate_seconds = 20;

/** Beside the container of the agent. */
export function limitedPod(limits: Limits, image: string): Partial<V1PodSpec> {
  const { service_url } = limits.ways;
  return {
    ...namesOf(limits),
    initContainers: [
      tryingContainer({
        name: gate_name,
        image,
        program: gate,
        args: [...hostAndPort(service_url), String(gate_open), String(gate_seconds)],
      }),
    ],
  };
}

/** No question for a name leaves the pod, and each fails at once. */
export const namesOf = ({ aliases }: Limits): Partial<V1PodSpec> => ({
  dnsPolicy: 'None',
  dnsConfig: { nameservers: ['127.0.0.1'] },
  ...(aliases.length === 0 ? {} : { hostAliases: aliases }),
});

export function hostAndPort(text: string): [string, string] {
  const { host, port } = atOf(new URL(text));
  return [host, String(port)];
}

/** Without the agent's packages: `-I` and `-S` read no variable and no folder of theirs, and the path is that of the base image. */
export function tryingContainer(of: { name: string; image: string; program: string; args: string[] }): V1Container {
  const resources = { cpu: '100m', memory: '64Mi' };
  return {
    name: of.name,
    image: of.image,
    command: ['/usr/bin/env', 'PATH=/usr/local/bin:/usr/bin:/bin', 'python3', '-I', '-S', '-c', of.program, ...of.args],
    workingDir: '/',
    resources: { requests: { ...resources, cpu: '10m' }, limits: resources },
    terminationMessagePolicy: 'FallbackToLogsOnError',
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
  };
}

/** Every pod has the address of the API server of its cluster. A pod without limits reaches it, and a limited one does not. */
export const reaching = `
import os, socket, sys, time

def reaches(host, port):
    try:
        socket.create_connection((host, int(port)), 1).close()
        return True
    except OSError:
        return False

other = os.environ["KUBERNETES_SERVICE_HOST"], os.environ["KUBERNETES_SERVICE_PORT"]
`;

// The door is tried first: a pod whose network is not there yet reaches neither. Twice, because a program that enforces policies may be late.
const gate = `${reaching}
door, is_open = sys.argv[1:3], int(sys.argv[3])
end = time.monotonic() + float(sys.argv[4])
closed = 0
while closed < 2:
    has_door = reaches(*door)
    has_other = reaches(*other)
    closed = closed + 1 if has_door and not has_other else 0
    if closed == 0 and time.monotonic() > end:
        if has_other:
            print("the pod reaches %s:%s, and its NetworkPolicy closes that: nothing in the cluster enforces the policy" % other)
            sys.exit(is_open)
        print("the pod does not reach the door at %s:%s" % tuple(door))
        sys.exit(1)
    if closed == 0:
        time.sleep(0.2)
`;
