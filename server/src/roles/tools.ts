// The parts for calls to tools, opened once in a process: the ingress passes calls of agents on, and the api asks servers for their tools.
import { openOutbound } from '../ground/outbound/outbound.ts';
import { ruleThread } from '../assets/registry/call-rules/rule-thread.ts';
import { signer } from '../governance/signing-keys/signing-keys.ts';
import { teamSecretReader } from '../assets/secrets/delivery.ts';
import { stores } from '../assets/secrets/stores/index.ts';
import { openVectorSearch } from '../agents/knowledge/search/vector-search.ts';
import { openToolCalls } from '../agents/tools/limits/open-calls.ts';
import { engineBuilder } from '../agents/tools/hosted/engine-builder.ts';
import { openHosting } from '../agents/tools/hosted/hosting.ts';
import { serverConnections } from '../agents/tools/upstream/connections.ts';
import type { ToolParts } from '../agents/tools/parts.ts';
import type { OpeningParts, RoleParts } from './role.ts';

export async function openTools({
  config,
  log,
  db,
  owner,
  stopping,
  hosted,
  deploying,
  envelope,
  spans,
  guardrails,
  models,
  base_url,
  keys,
  onError,
  open,
}: OpeningParts & Pick<RoleParts, 'models' | 'deploying'>): Promise<ToolParts> {
  const outbound = openOutbound({ private_hosts: config.outbound_private_hosts });
  const connections = serverConnections(onError);
  const open_calls = openToolCalls(db, onError);
  const readCredentials = teamSecretReader({ stores: stores({ envelope }), onError });
  const rules = ruleThread();
  const vectors = openVectorSearch();
  const { containers, deploy } = await deploying();
  const hosting = openHosting({
    db,
    ...(hosted ?? {
      builder: engineBuilder({ ...containers, images: deploy.builder }),
      runner: containers.runner,
    }),
    limits: config.hosted,
    readCredentials,
    owner,
    stopping,
    log,
    onError,
  });
  open.defer(async () => {
    open_calls.close();
    await connections.close();
    await hosting.close();
    await rules.close();
    await vectors.close();
    await outbound.close();
  });
  return {
    db,
    outbound,
    sign: signer({ db, envelope }),
    readCredentials,
    connections,
    hosting,
    open_calls,
    rules,
    knowledge: { db, base_url, models, vectors, pepper: keys['key-pepper'], envelope },
    guardrails,
    models,
    envelope,
    base_url,
    spans,
    onError,
  };
}
