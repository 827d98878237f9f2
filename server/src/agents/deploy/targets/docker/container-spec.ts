import type Docker from 'dockerode';
import type { Engine } from '../../../../assets/docker/client.ts';
import { label, labelsFor } from '../../../../assets/docker/labels.ts';
import { sandbox_user } from '../../../../assets/workshop/sandbox.ts';
import type { PlaceInput } from '../target.ts';
import type { SecretPlace } from './secret-place.ts';
import { stopGraceSeconds } from '../stop-grace.ts';

/** The port of the agent server in the spec. */
export const agent_port = 8080;

export interface ContainerInput extends PlaceInput {
  network: { name: string; internal: boolean };
  /** In memory; mounted as /run/secrets. */
  secrets: ReturnType<SecretPlace['mount']>;
}

/** The fields that every create request has, with types where the client has `any`. */
export type ContainerSpec = Omit<Docker.ContainerCreateOptions, 'HostConfig'> & {
  name: string;
  Env: string[];
  Labels: Record<string, string>;
  HostConfig: Omit<Docker.HostConfig, 'CapDrop' | 'SecurityOpt' | 'LogConfig' | 'Dns'> & {
    CapDrop: string[];
    SecurityOpt: string[];
    LogConfig: { Type: 'json-file'; Config: Record<string, string> };
    Dns?: string[];
  };
};

/**
 * The whole spec of an agent's container, for the engine and the compose file. Its only values from users are the name and the resources,
 * so no user setting can weaken it. The log has a small limit because an agent may write without end.
 */
export function containerSpec(engine: Engine, input: ContainerInput): ContainerSpec {
  const { resources, network, egress } = input;
  return {
    name: input.name,
    Image: input.image,
    User: `${sandbox_user}:${sandbox_user}`,
    WorkingDir: '/app',
    Entrypoint: [],
    Cmd: ['/opt/venv/bin/python', '-m', '_svc_wrapper'],
    Env: Object.entries(input.variables).map(([name, value]) => `${name}=${value}`),
    Labels: {
      ...labelsFor(engine, 'agent'),
      [label.agent]: input.agent,
      [label.revision]: input.revision_id,
      [label.instance]: input.instance_id,
      [label.fence]: String(input.fence),
      ...(egress === undefined ? {} : { [label.egress]: egress.join(' ') }),
    },
    StopTimeout: stopGraceSeconds,
    HostConfig: {
      NetworkMode: network.name,
      // An internal network needs no lookups, and the engine's resolver could still carry data to the outside.
      ...(network.internal ? { Dns: ['127.0.0.1'] } : {}),
      ReadonlyRootfs: true,
      Tmpfs: { '/tmp': `rw,nosuid,nodev,noexec,mode=1777,size=${Math.floor(resources.memory_bytes / 2)}` },
      Mounts: [{ ...input.secrets, Target: '/run/secrets', ReadOnly: true }],
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      Init: true,
      Memory: resources.memory_bytes,
      MemorySwap: resources.memory_bytes,
      NanoCpus: Math.round(resources.cpu_count * 1e9),
      PidsLimit: 512,
      IpcMode: 'private',
      RestartPolicy: { Name: 'no' },
      LogConfig: { Type: 'json-file', Config: { 'max-size': '10m', 'max-file': '3' } },
    },
  };
}
