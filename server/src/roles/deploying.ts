// The container engine and the parts for deploys, opened once in a process for the roles api and worker.
import { join } from 'node:path';
import { openContainers, type Containers } from '../containers.ts';
import { imageBuilder } from '../deploy/build/build-image.ts';
import { openAgentLeases } from '../deploy/keep/agent-leases.ts';
import type { DeployParts } from '../deploy/parts.ts';
import { openRefusedEgressLog } from '../deploy/refused-egress.ts';
import type { RefusedEgress } from '../engine/egress-proxy.ts';
import { deriveKey } from '../derive-key.ts';
import { cursors } from '../http/cursor.ts';
import { hasOpenCalls } from '../invoke/has-open-calls.ts';
import { stores } from '../secrets/stores/index.ts';
import type { RoleParts } from './role.ts';

export interface Deploying {
  containers: Containers;
  deploy: DeployParts;
}

const wrapper_directory = join(import.meta.dirname, '../../../wrapper/_svc_wrapper');

export function openDeploying(parts: Omit<RoleParts, 'deploying' | 'outgoing' | 'models'>): Deploying {
  const { config, db, secret_key, envelope, keys, recordRefusal, base_url, open } = parts;
  const refusals = openRefusedEgressLog(db, parts);
  open.defer(async () => await refusals.close());
  const onRefusedEgress = (refused: RefusedEgress) => refusals.add(refused);
  const containers = openContainers(config, parts.installation_id, parts.log, { onRefusedEgress });
  open.defer(async () => await containers.close());
  const leases = openAgentLeases(db, parts);
  open.defer(async () => await leases.stop());
  const deploy: DeployParts = {
    db,
    cursors: cursors(deriveKey(secret_key, 'cursor')),
    builder: imageBuilder({ db, engine: containers.engine, pythons: containers.pythons, wrapper_directory }),
    targets: { ...containers.targets, ...parts.more_targets },
    leases,
    secret_stores: stores({ envelope }),
    recordRefusal,
    key_maker: { pepper: keys['key-pepper'], envelope },
    ingress_key: keys['ingress-secret'],
    base_url,
    artefact_directory: join(config.data_dir, 'agents'),
    start_deadline_ms: config.start_deadline_seconds * 1000,
    calm_before_removal_ms: config.calm_seconds * 1000,
    warm_ms: config.warm_seconds * 1000,
    drain_limit_ms: config.drain_limit_seconds * 1000,
    hasOpenCalls: async (instance_id) => await hasOpenCalls(db, instance_id),
  };
  return { containers, deploy };
}
