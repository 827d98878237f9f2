// The calls to models. Any number of these processes share one database, which holds the ledger.
import { gatewayRoutes } from '../gateway/routes.ts';
import type { SurfaceHandlers } from '../http/handlers.ts';
import type { Role, RoleParts } from './role.ts';

export async function openGatewayRole({ config, db, models }: RoleParts): Promise<Role> {
  const gateway = await models();
  const handlers: SurfaceHandlers<'gateway' | 'gemini' | 'ollama'> = gatewayRoutes(db, gateway);
  return {
    handlers,
    inside: { port: config.gateway_port, handlers },
    ready: async () => {
      gateway.requireReady();
      return await Promise.resolve([]);
    },
    start: () => gateway.startSweeper(),
  };
}
