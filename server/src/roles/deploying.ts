// The container engine and the parts for deploys, opened once in a process for the roles api and worker.
import { join } from 'node:path';
import { openContainers, type Containers } from '../containers.ts';
import { imageBuilder } from '../deploy/build-image.ts';
import type { DeployParts } from '../deploy/parts.ts';
import { openRefusedEgressLog } from '../deploy/refused-egress.ts';
import type { RefusedEgress } from '../engine/egress-proxy.ts';
import { gatewayOf, subnetsOf } from '../engine/subnets.ts';
import { deriveKey } from '../derive-key.ts';
import { cursors } from '../http/cursor.ts';
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
  const subnets = subnetsOf(parts.installation_id, config);
  const gatewayOn = (subnet: string) => config.gateway_url ?? `http://${gatewayOf(subnet)}:${config.gateway_port}`;
  const deploy: DeployParts = {
    db,
    cursors: cursors(deriveKey(secret_key, 'cursor')),
    builder: imageBuilder({ engine: containers.engine, pythons: containers.pythons, wrapper_directory }),
    targets: containers.targets,
    secret_stores: stores({ envelope }),
    recordRefusal,
    key_maker: { pepper: keys['key-pepper'], envelope },
    gateway_url: gatewayOn(subnets.agents),
    listed: {
      gateway_url: gatewayOn(subnets.listed),
      proxy_url: `http://${gatewayOf(subnets.listed)}:${config.egress_port}`,
    },
    ingress_key: keys['ingress-secret'],
    base_url,
    artefact_directory: join(config.data_dir, 'agents'),
    start_deadline_ms: config.start_deadline_seconds * 1000,
    drain_limit_ms: config.drain_limit_seconds * 1000,
  };
  return { containers, deploy };
}
