// The container engine and the parts for deploys, opened once in a process for the roles api and worker.
import { openContainers, type Containers } from '../containers.ts';
import { imageBuilder } from '../agents/deploy/build/build-image.ts';
import { agentConnections } from '../agents/deploy/connections/agent-connections.ts';
import { openAgentLeases } from '../agents/deploy/keep/agent-leases.ts';
import type { DeployParts } from '../agents/deploy/parts.ts';
import { openRefusedEgressLog } from '../agents/deploy/status/refused-egress.ts';
import {
  awsKind,
  azureKind,
  engineKind,
  gcpKind,
  kubernetesKind,
  openMore,
  openTargets,
} from '../agents/deploy/targets/index.ts';
import type { RefusedEgress } from '../agents/deploy/targets/open-destination.ts';
import { findBaseImage } from '../assets/docker/base-image.ts';
import { local_target } from '@gantry/contract/assets/targets.ts';
import { openOutbound } from '../ground/outbound/outbound.ts';
import { deriveKey } from '../ground/derive-key.ts';
import { cursors } from '../governance/http/cursor.ts';
import { hasOpenCalls } from '../agents/invoke/calls/has-open-calls.ts';
import { leavesInOrder } from '../governance/access/when-leaves.ts';
import { whenLeaves } from './leaving.ts';
import { findTarget, listTargets } from '../assets/targets/find-targets.ts';
import { stores } from '../assets/secrets/stores/index.ts';
import type { OpeningParts } from './role.ts';
import { places } from '../ground/places-of-files.ts';

export interface Deploying {
  containers: Containers;
  deploy: DeployParts;
  onRefusedEgress: (refused: RefusedEgress) => void;
}

export function openDeploying(parts: OpeningParts): Deploying {
  const { config, db, secret_key, envelope, keys, recordRefusal, base_url, open } = parts;
  const refusals = openRefusedEgressLog(db, parts);
  open.defer(async () => await refusals.close());
  const onRefusedEgress = (refused: RefusedEgress) => refusals.add(refused);
  const containers = openContainers(config, parts.installation_id, parts.log, { onRefusedEgress });
  open.defer(async () => await containers.close());
  const leases = openAgentLeases(db, parts);
  open.defer(async () => await leases.stop());
  const connections = agentConnections(parts.dialled);
  open.defer(async () => await connections.destroy());
  const outbound = openOutbound({ private_hosts: config.outbound_private_hosts });
  open.defer(async () => await outbound.close());
  const secret_stores = stores({ envelope });
  const deploy: DeployParts = {
    db,
    connections,
    dialled: parts.dialled,
    cursors: cursors(deriveKey(secret_key, 'cursor')),
    builder: imageBuilder({
      db,
      engine: containers.engine,
      pythons: containers.pythons,
      wrapper_directory: places.wrapper,
    }),
    targets: openTargets({
      fixed: { [local_target]: containers.local, ...openMore(parts.more_targets, parts) },
      kinds: {
        engine: engineKind({ builds: containers.engine, outbound }),
        gcp: gcpKind({
          builds: containers.engine,
          outbound,
          db,
          dialled: parts.dialled,
          ingress_key: keys['ingress-secret'],
          emulator: parts.google_emulator,
        }),
        azure: azureKind({
          builds: containers.engine,
          outbound,
          db,
          dialled: parts.dialled,
          ingress_key: keys['ingress-secret'],
          emulator: parts.azure_emulator,
        }),
        kubernetes: kubernetesKind({
          builds: containers.engine,
          outbound,
          db,
          dialled: parts.dialled,
          own_cluster: config.own_cluster,
          baseImage: async (signal) => (await findBaseImage(containers.engine, config.base_image, signal)).id,
        }),
        aws: awsKind({ builds: containers.engine, outbound, db, dialled: parts.dialled, emulator: parts.aws_emulator }),
      },
      rows: {
        find: async (name) => await findTarget(db, envelope, name),
        names: async () => (await listTargets(db)).map(({ name }) => name),
      },
    }),
    leases,
    secret_stores,
    leaves: leavesInOrder(whenLeaves(secret_stores)),
    recordRefusal,
    key_maker: { pepper: keys['key-pepper'], envelope },
    ingress_key: keys['ingress-secret'],
    base_url,
    start_deadline_ms: config.start_deadline_seconds * 1000,
    calm_before_removal_ms: config.calm_seconds * 1000,
    warm_ms: config.warm_seconds * 1000,
    drain_limit_ms: config.drain_limit_seconds * 1000,
    hasOpenCalls: async (instance_id) => await hasOpenCalls(db, instance_id),
  };
  return { containers, deploy, onRefusedEgress };
}
