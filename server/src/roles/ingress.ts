// The calls to agents. The database has the permissions and the addresses of containers. This role opens no engine, so calls continue while
// api and worker restart.
import { servingAgents } from '../deploy/serving.ts';
import type { SurfaceHandlers } from '../http/handlers.ts';
import { openIngress } from '../invoke/ingress.ts';
import { invokeRoutes } from '../invoke/routes.ts';
import type { Role, RoleParts } from './role.ts';

export function openIngressRole(parts: RoleParts): Role {
  const { config, db, keys, models, guardrails, readAsOf, spans, stopping, onError, open } = parts;
  const ingress = openIngress({
    db,
    agents: servingAgents({ db, ingress_key: keys['ingress-secret'], readAsOf }),
    run_key: keys['run-token'],
    models,
    guardrails,
    spans,
    sync_budget_ms: config.sync_budget_seconds * 1000,
    stopping,
    onError,
  });
  open.defer(async () => await ingress.close());
  const handlers: SurfaceHandlers<'ingress'> = invokeRoutes(ingress);
  return { handlers, start: () => ingress.background(ingress.followOpenInvocations()) };
}
