// The parts of the gateway, opened once in a process: the gateway's role calls models, and the api tests them.
import { createSecretKey } from 'node:crypto';
import { admission_pool } from '../models/gateway/admission/admission.ts';
import { openGateway, type Gateway } from '../models/gateway/gateway.ts';
import { teamSecretReader } from '../assets/secrets/delivery.ts';
import { stores } from '../assets/secrets/stores/index.ts';
import type { OpeningParts } from './role.ts';

export function openModels({
  config,
  db,
  envelope,
  keys,
  spans,
  owner,
  openPool,
  guardrails,
  onError,
  open,
}: OpeningParts): Gateway {
  const gateway = openGateway({
    db,
    admission_db: openPool(admission_pool),
    owner,
    private_hosts: config.outbound_private_hosts,
    spans,
    run_key: createSecretKey(keys['run-token']),
    readCredentials: teamSecretReader({ stores: stores({ envelope }), onError }),
    guardrails,
    onError,
  });
  open.defer(async () => await gateway.close());
  return gateway;
}
