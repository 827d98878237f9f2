// The config of an image that the service writes itself (OCI image spec, config.md). Its digest is the id of the image in a Docker engine.
import { canonicalJson } from '../../governance/audit/canonical-json.ts';

/** The parts of an image below ours, as the engine shows them. */
export interface ImageBelow {
  Os: string;
  Architecture: string;
  Variant?: string | undefined;
  RootFS: { Layers?: string[] | undefined };
  Config: {
    Env?: string[] | null;
    Labels?: Record<string, string> | null;
    Cmd?: string[] | null;
    Entrypoint?: string[] | string | null;
    User?: string;
    WorkingDir?: string;
    ExposedPorts?: Record<string, object> | null;
    Healthcheck?: object | undefined;
    Shell?: string[] | undefined;
    StopSignal?: string | undefined;
    Volumes?: Record<string, object> | null;
  };
}

interface Ours {
  /** They replace variables of the image below with the same name. */
  env?: Record<string, string>;
  user?: string;
  workdir?: string;
  cmd?: string[];
  labels: Record<string, string>;
  /** The digests of the added layers. */
  diff_ids: string[];
  /** What is in the added layers. `docker history` shows it. */
  contents: string;
  /** UTC, ISO 8601. */
  created?: string | undefined;
}

/** The labels with this prefix are about the image below itself. */
const own_labels = 'gantry.';

/** The image below with our layers and settings. The same input gives the same bytes. */
export function writeConfig(
  below: ImageBelow,
  { env = {}, user, workdir, cmd, labels, diff_ids, contents, created }: Ours,
): Buffer {
  const { Config } = below;
  const given = (Config.Env ?? []).filter((one) => !Object.hasOwn(env, one.slice(0, one.indexOf('='))));
  const inherited = Object.entries(Config.Labels ?? {}).filter(([name]) => !name.startsWith(own_labels));
  const document = {
    architecture: below.Architecture,
    os: below.Os,
    variant: below.Variant || undefined,
    created: created || undefined,
    config: {
      Env: [...given, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)],
      User: user ?? Config.User,
      WorkingDir: workdir ?? Config.WorkingDir,
      Cmd: cmd ?? Config.Cmd ?? undefined,
      // Our command is whole.
      Entrypoint: cmd === undefined ? (Config.Entrypoint ?? undefined) : undefined,
      Labels: { ...Object.fromEntries(inherited), ...labels },
      ExposedPorts: Config.ExposedPorts ?? undefined,
      Healthcheck: Config.Healthcheck ?? undefined,
      Shell: Config.Shell ?? undefined,
      StopSignal: Config.StopSignal ?? undefined,
      Volumes: Config.Volumes ?? undefined,
    },
    history: [
      ...(below.RootFS.Layers ?? []).map(() => ({ created_by: 'the image below' })),
      ...diff_ids.map(() => ({ created_by: contents })),
    ],
    rootfs: { type: 'layers', diff_ids: [...(below.RootFS.Layers ?? []), ...diff_ids] },
  };
  return Buffer.from(canonicalJson(document));
}
