// The calls to models. Any number of these processes share one database, which holds the ledger.
import { gatewayRoutes } from '../gateway/routes.ts';
import { admission_pool } from '../gateway/admission.ts';
import { openGateway } from '../gateway/gateway.ts';
import type { SurfaceHandlers } from '../http/handlers.ts';
import type { Role, RoleParts } from './role.ts';

export function openGatewayRole({ config, db, openPool, onError, open }: RoleParts): Role {
  const gateway = openGateway({
    db,
    admission_db: openPool(admission_pool),
    private_hosts: config.outbound_private_hosts,
    onError,
  });
  open.defer(async () => await gateway.close());
  const handlers: SurfaceHandlers<'gateway'> = gatewayRoutes(db, gateway);
  return { handlers, serves_agents: true, start: () => gateway.startSweeper() };
}
