// Hosted MCP servers: packages that the service installs, and runs beside the agents that call them. What runs is the image of the pinned list. Its lock
// is made when a person asks for the list, and stored with the image, so what a person has pinned is what runs after each restart.
import { parseHostedPackage, type HostedPackage } from '@gantry/project/hosted-package.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Database, Reader } from '../../../ground/database/database.ts';
import type { HostedConfig } from '../../../ground/config/hosted-settings.ts';
import {
  imageById,
  imageOn,
  putImage,
  type HostedImage,
  type ImageRef,
} from '../../../assets/registry/tool-lists/hosted-images.ts';
import { settings } from '../../../people/principals/find.ts';
import { masked } from '../../deploy/targets/mask.ts';
import { teamSecrets } from '../upstream/credential.ts';
import { connectOver, unusable, type ServerConnection, type Upstream } from '../upstream/connect.ts';
import type { HostedBuilder, ProgramSpec, Runner } from './plugs.ts';
import { sidePrograms, type ProgramOf } from './side-programs.ts';
import { stdioWire } from './stdio-wire.ts';

export interface HostedServer {
  asset_id: string;
  version: string;
  upstream: Upstream;
}

export interface Hosting {
  /** The image of this version of the server on the present base image, which is locked and built first where it is missing. */
  imageOf(server: HostedServer, signal: AbortSignal): Promise<HostedImage>;
  /** Runs `work` on a program of this image. Throws `servers_full`, `server_unavailable`, `not_callable` or `egress_refused`. */
  use<T>(asked: {
    server: HostedServer;
    image: ImageRef;
    /** Undefined: for nobody else. */
    by: Pick<ProgramOf, 'agent_id' | 'revision_id' | 'caller_id'> | undefined;
    work: (on: ServerConnection) => Promise<T>;
    signal?: AbortSignal;
  }): Promise<T>;
  close(): Promise<void>;
}

interface Parts {
  db: Database;
  builder: HostedBuilder;
  runner: Runner;
  limits: HostedConfig;
  readCredentials: (db: Reader, team_id: string, names: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  owner: string;
  /** Aborted when the process stops. */
  stopping: AbortSignal;
  log: { info(what: object, message: string): void };
  onError: (error: unknown) => void;
}

export function openHosting(parts: Parts): Hosting {
  const { db, builder, runner, limits, owner, onError } = parts;
  const programs = sidePrograms({ db, owner, ...limits, onError, remove: async (id) => await runner.remove(id) });

  async function build(
    server: HostedServer,
    lock: Omit<HostedImage, 'id' | 'digest' | 'components'>,
    signal: AbortSignal,
  ) {
    const built = await builder.build(packageOf(server.upstream), lock, { ...teamOf(server), signal });
    return await putImage(db, server, { ...lock, ...built });
  }

  async function requireBuilt({ upstream, ...server }: HostedServer, { id, digest }: ImageRef): Promise<void> {
    const signal = AbortSignal.any([parts.stopping, AbortSignal.timeout(build_ms)]);
    if (await builder.has(digest, signal)) return;
    const image = await imageById(db, id);
    if (image === undefined) throw new Error(`the image ${digest} is not stored`);
    const again = await build({ upstream, ...server }, image, signal);
    if (again.digest !== digest) throw otherImage(upstream, { was: digest, now: again.digest });
  }

  return {
    imageOf: async (server, signal) => {
      const base_image = await builder.baseImage();
      const known = await imageOn(db, { ...server, base_image });
      if (known !== undefined && (await builder.has(known.digest, signal))) return known;
      const hosted = packageOf(server.upstream);
      const lock = known ?? (await builder.lock(hosted, { ...teamOf(server), signal }));
      return await build(server, lock, signal);
    },
    use: async ({ server, image, by, work, signal }) => {
      const { upstream } = server;
      const { share = 'caller' } = upstream.config;
      const nobody = { agent_id: '', revision_id: '', caller_id: '' };
      const start = async (id: string) => {
        await requireBuilt(server, image);
        const spec = { ...(await programSpec(parts, upstream)), id, image: image.digest };
        return await started(parts, { spec, upstream, isShared: share === 'revision', showsOutput: by === undefined });
      };
      return await programs.use({
        of: {
          ...(by ?? nobody),
          server_id: server.asset_id,
          version: server.version,
          image: image.digest,
          share: by === undefined ? 'call' : share,
        },
        upstream,
        start,
        work,
        ...(signal && { signal }),
      });
    },
    close: async () => await programs.close(),
  };
}

const build_ms = 15 * 60_000;

const teamOf = ({ upstream: { asset } }: HostedServer) => ({ team_id: asset.team.id });

/** Throws `not_callable`. */
export function packageOf({ ref, config }: Upstream): HostedPackage {
  const hosted = config.package === undefined ? undefined : parseHostedPackage(config.package);
  if (hosted !== undefined) return hosted;
  throw new Problem('not_callable', { detail: `${ref} names a \`command\`, and the service runs packages only.` });
}

/** Throws `egress_refused`, and `server_unavailable` for a secret that is not set. */
async function programSpec(parts: Parts, upstream: Upstream): Promise<Omit<ProgramSpec, 'id' | 'image'>> {
  const { ref, config } = upstream;
  const { args = [], env_vars = {}, secrets = [], egress = [] } = config;
  if (egress.length > 0 && (await settings(parts.db)).agent_egress === 'gateway_only')
    throw new Problem('egress_refused', {
      detail: `${ref} has \`egress\`, and agents of this organisation reach only the model gateway (agent_egress is gateway_only).`,
      hint: 'Remove `egress` from its config, or ask an admin: svc org set agent_egress listed',
    });
  return {
    server: ref,
    package: packageOf(upstream),
    args,
    variables: env_vars,
    secrets: await teamSecrets(parts, upstream, secrets),
    egress,
  };
}

interface Starting {
  spec: ProgramSpec;
  upstream: Upstream;
  isShared: boolean;
  /** To a person who may change the server, a failed start shows what the program wrote. */
  showsOutput: boolean;
}

async function started(
  { runner, limits, stopping, log, onError }: Parts,
  { spec, upstream, isShared, showsOutput }: Starting,
) {
  const until = AbortSignal.any([stopping, AbortSignal.timeout(limits.start_ms)]);
  const mask = masked(Object.values(spec.secrets));
  const program = await runner.start(spec, until);
  const wire = stdioWire(program, (text) =>
    log.info({ server: spec.server, program: spec.id, text: mask(text) }, 'a hosted MCP server wrote to stderr'),
  );
  try {
    const connection = await connectOver(
      { upstream, wire, conceal: mask, image: spec.image, isShared, timeout_ms: limits.start_ms, onError },
      until,
    );
    return { connection, whyClosed: () => wire.whyClosed() };
  } catch (error) {
    const why = await (wire.whyClosed() ?? Promise.resolve(undefined));
    program.close();
    if (why === undefined && !until.aborted) throw error;
    const reason = why ?? `it did not answer within ${limits.start_ms / 1000} s after its start`;
    const output = mask(wire.stderr()).trim();
    throw unusable(upstream, reason, showsOutput && output !== '' ? { output } : {});
  }
}

function otherImage({ ref, config }: Upstream, { was, now }: { was: string; now: string }): Problem {
  return new Problem('not_callable', {
    detail: `The pinned image ${was} of ${config.package} is gone, and its lock gives ${now} now.`,
    hint: `Its owner pins the new one: svc mcp pin ${ref.split('/')[1]}`,
  });
}
