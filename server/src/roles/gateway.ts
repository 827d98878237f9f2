// The calls to models. Any number of these processes share one database, which holds the ledger.
import { agentModels } from '../agents/as-model/agent-models.ts';
import { gatewayRoutes } from '../models/gateway/routes.ts';
import { keyAuthenticator, keyWays } from '../models/keys/calls/authenticate.ts';
import type { SurfaceHandlers } from '../governance/http/handlers.ts';
import type { Role, RoleParts } from './role.ts';

export async function openGatewayRole({ db, keys, models, agentCalls }: RoleParts): Promise<Role> {
  const gateway = await models();
  // After the start of the process no part can be opened.
  const ingress = await agentCalls();
  const handlers: SurfaceHandlers<'gateway' | 'gemini' | 'ollama'> = gatewayRoutes(db, gateway, agentModels(ingress));
  return {
    handlers,
    door: { handlers, ways: keyWays(keyAuthenticator({ db, pepper: keys['key-pepper'] })) },
    ready: async () => {
      gateway.requireReady();
      return await Promise.resolve([]);
    },
    start: () => gateway.startSweeper(),
  };
}
