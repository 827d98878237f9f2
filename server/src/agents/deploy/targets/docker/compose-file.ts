import { stringify } from 'yaml';
import type { ContainerSpec } from './container-spec.ts';

/**
 * The container's spec as a compose file. It has no secrets, and the network belongs to the service. So a container that is started
 * by hand has neither key nor route.
 */
export function composeFile({ name, HostConfig, ...spec }: ContainerSpec): string {
  const file = {
    name,
    services: {
      agent: {
        image: spec.Image,
        // The image is in this engine, and in no registry.
        pull_policy: 'never',
        container_name: `${name}-by-hand`,
        user: spec.User,
        working_dir: spec.WorkingDir,
        command: spec.Cmd,
        environment: Object.fromEntries(spec.Env.map((pair) => splitOnce(pair))),
        init: HostConfig.Init,
        read_only: HostConfig.ReadonlyRootfs,
        tmpfs: Object.entries(HostConfig.Tmpfs ?? {}).map(([path, options]) => `${path}:${options}`),
        cap_drop: HostConfig.CapDrop,
        security_opt: HostConfig.SecurityOpt,
        mem_limit: HostConfig.Memory,
        memswap_limit: HostConfig.MemorySwap,
        cpus: (HostConfig.NanoCpus ?? 0) / 1e9,
        pids_limit: HostConfig.PidsLimit,
        ipc: HostConfig.IpcMode,
        ...(HostConfig.Dns === undefined ? {} : { dns: HostConfig.Dns }),
        restart: HostConfig.RestartPolicy?.Name,
        stop_grace_period: `${spec.StopTimeout}s`,
        logging: { driver: HostConfig.LogConfig.Type, options: HostConfig.LogConfig.Config },
        networks: ['agents'],
      },
    },
    networks: { agents: { external: true, name: HostConfig.NetworkMode } },
  };
  // Compose implementations read a bare `no` differently. YAML 1.1 quotes it.
  return stringify(file, { version: '1.1' });
}

/** Compose replaces `$NAME`. A doubled sign is a literal one. */
function splitOnce(pair: string): [string, string] {
  const at = pair.indexOf('=');
  return [pair.slice(0, at), pair.slice(at + 1).replaceAll('$', '$$$$')];
}
