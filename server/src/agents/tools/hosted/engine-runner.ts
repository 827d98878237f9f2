// Hosted MCP servers as containers of the service's engine. Each has the limits of an agent's container, and no port. It has no network, or one whose
// only way out is the proxy. The service speaks with it over its standard streams, so nothing else reaches it.
import type Docker from 'dockerode';
import type { Duplex } from 'node:stream';
import { ask, unless, type Engine } from '../../../assets/docker/client.ts';
import { label, labelsFor, mark, ownedBy } from '../../../assets/docker/labels.ts';
import { wasOutOfMemory } from '../../../assets/docker/out-of-memory.ts';
import { sandbox_user } from '../../../assets/workshop/sandbox.ts';
import { proxyVariables } from '../../deploy/egress.ts';
import type { SecretPlace } from '../../deploy/targets/docker/secret-place.ts';
import { launcher } from './launcher.ts';
import { engineOutput } from './engine-output.ts';
import type { Program, ProgramSpec, Runner } from './plugs.ts';

export const side_purpose = 'mcp-server';

interface Parts {
  engine: Engine;
  openSecrets: () => Promise<SecretPlace>;
  /** The network of programs with egress. Throws `egress_not_enforced`. */
  openNetwork: () => Promise<SideNetwork>;
  memory_bytes: number;
}

interface SideNetwork {
  name: string;
  proxy_url: string;
}

/** What waits for a program that does not read. */
const most_unread_bytes = 4 * 1024 * 1024;

export function engineRunner({ engine, openSecrets, openNetwork, memory_bytes }: Parts): Runner {
  const { docker } = engine;
  const nameOf = (id: string) => `svc-tool-${mark(engine)}-${id}`;
  return {
    start: async (spec, signal) => {
      const name = nameOf(spec.id);
      const secrets = await openSecrets();
      const network = spec.egress.length === 0 ? undefined : await openNetwork();
      await secrets.prepare(name);
      const mount = secrets.mount(name);
      const made = sideSpec(engine, { ...spec, name, network, mount, memory_bytes });
      const { id } = await ask(docker.createContainer(made), { signal });
      const container = docker.getContainer(id);
      const streams = { stream: true, hijack: true, stdin: true, stdout: true, stderr: true };
      // The engine gives a socket of both directions.
      const socket = (await ask(container.attach(streams), { signal })) as Duplex;
      try {
        await secrets.during(name, { ...spec.secrets }, async () => {
          await ask(container.start(), { signal });
        });
      } catch (error) {
        socket.destroy();
        throw error;
      }
      return programOf(container, socket, memory_bytes);
    },

    remove: async (id) => {
      const name = nameOf(id);
      // 409: another request is removing it now.
      await unless(404, unless(409, ask(docker.getContainer(name).remove({ force: true, v: true }))));
      await (await openSecrets()).remove(name);
    },

    list: async (signal) => {
      const filters = ownedBy(engine, side_purpose);
      const found = await ask(docker.listContainers({ all: true, filters }), { signal });
      return found.flatMap(({ Labels }) => Labels[label.instance] ?? []);
    },
  };
}

function programOf(container: Docker.Container, socket: Duplex, memory_bytes: number): Program {
  // The output ends with an error too. Whoever reads it learns that it is over.
  socket.on('error', () => {});
  return {
    write: (text) => {
      if (socket.writableLength > most_unread_bytes) throw new Error('it does not read what is sent');
      socket.write(text);
    },
    output: engineOutput(socket),
    whyEnded: async () => {
      const found = await unless(404, ask(container.inspect()));
      if (found === undefined) return 'its container was removed';
      if (found.State.Running) return 'the connection to its container broke';
      if (await wasOutOfMemory(container, found.State, undefined))
        return `it needed more than its ${Math.round(memory_bytes / 1024 ** 2)} MB of memory`;
      return `it ended with exit code ${found.State.ExitCode}`;
    },
    close: () => void socket.destroy(),
  };
}

interface SideSpec extends ProgramSpec {
  name: string;
  network: SideNetwork | undefined;
  /** In memory. */
  mount: ReturnType<SecretPlace['mount']>;
  memory_bytes: number;
}

/** The engine's records have no secret. Without AutoRemove, so that the reason of an end can be read. */
function sideSpec(engine: Engine, spec: SideSpec): Docker.ContainerCreateOptions & { name: string } {
  const { network, memory_bytes } = spec;
  const variables = {
    HOME: '/tmp',
    LANG: 'C.UTF-8',
    ...spec.variables,
    ...(network === undefined ? {} : proxyVariables(network.proxy_url)),
  };
  return {
    name: spec.name,
    Image: spec.image,
    User: `${sandbox_user}:${sandbox_user}`,
    WorkingDir: '/tmp',
    Entrypoint: [],
    Cmd: ['/opt/venv/bin/python', '-I', '-c', launcher, spec.package.index, spec.package.name, ...spec.args],
    Env: Object.entries(variables).map(([name, value]) => `${name}=${value}`),
    OpenStdin: true,
    // A program that follows the protocol ends when nobody speaks with it any more.
    StdinOnce: true,
    Labels: {
      ...labelsFor(engine, side_purpose),
      [label.instance]: spec.id,
      [label.agent]: spec.server,
      [label.egress]: spec.egress.join(' '),
    },
    StopTimeout: 1,
    HostConfig: {
      NetworkMode: network?.name ?? 'none',
      // The proxy resolves names: the engine's resolver would carry queries, and data in them, to the outside.
      Dns: ['127.0.0.1'],
      ReadonlyRootfs: true,
      Tmpfs: { '/tmp': `rw,nosuid,nodev,noexec,mode=1777,size=${Math.floor(memory_bytes / 2)}` },
      Mounts: [{ ...spec.mount, Target: '/run/secrets', ReadOnly: true }],
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      Init: true,
      Memory: memory_bytes,
      MemorySwap: memory_bytes,
      NanoCpus: 1e9,
      PidsLimit: 128,
      IpcMode: 'private',
      RestartPolicy: { Name: 'no' },
      // Its output is the contents of calls.
      LogConfig: { Type: 'none', Config: {} },
    },
  };
}
