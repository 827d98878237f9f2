// The parts for calls to agents, opened once in a process: the ingress takes calls in its own surfaces, and the gateway those that name an agent as
// a model.
import { createSecretKey } from 'node:crypto';
import { findReach } from '../agents/deploy/targets/index.ts';
import { servingAgents } from '../agents/deploy/serving/serving.ts';
import { openIngress, type Ingress } from '../agents/invoke/ingress.ts';
import { openTurns } from '../agents/memory/turns.ts';
import type { OpeningParts, RoleParts } from './role.ts';

export function openAgentCalls({
  config,
  db,
  owner,
  keys,
  models,
  guardrails,
  readAsOf,
  envelope,
  spans,
  more_targets,
  dialled,
  base_url,
  stopping,
  onError,
  open,
}: OpeningParts & Pick<RoleParts, 'models'>): Ingress {
  const ingress = openIngress({
    db,
    owner,
    alone: config.database_url === undefined,
    agents: servingAgents({ db, ingress_key: keys['ingress-secret'], readAsOf, findReach: findReach(more_targets) }),
    run_key: createSecretKey(keys['run-token']),
    envelope,
    models,
    guardrails,
    spans,
    turns: openTurns(db),
    base_url,
    dialled,
    sync_budget_ms: config.sync_budget_seconds * 1000,
    stopping,
    onError,
  });
  open.defer(async () => await ingress.close());
  return ingress;
}
