import type { Handlers } from '../../../governance/http/handlers.ts';
import { askToAllow } from './ask.ts';
import { decideAsk } from './decide.ts';
import { exchange } from './exchange.ts';
import { listClients, removeClient } from './list.ts';
import { resourceMetadata, serverMetadata } from './metadata.ts';
import type { ClientParts } from './parts.ts';
import { registerClient } from './register.ts';
import { revokeToken } from './revoke.ts';

export function clientsRoutes(parts: ClientParts): Handlers<'clients'> {
  const { db, base_url } = parts;
  const resource = async (path: string) => await Promise.resolve(resourceMetadata(base_url(), path));
  return {
    'clients.metadata': async () => await Promise.resolve(serverMetadata(base_url())),
    'clients.control_resource': async () => await resource('/mcp'),
    'clients.server_resource': async ({ params }) => await resource(`/mcp/${params.name}`),
    'clients.agent_resource': async ({ params }) => await resource(`/agents/${params.name}/mcp`),
    'clients.register': async ({ caller, body }) => await registerClient(parts, body, caller.origin),
    'clients.token': async ({ caller, body }) => await exchange(parts, body, caller.origin),
    'clients.revoke': async ({ caller, body }) => {
      await revokeToken(parts, body, caller.origin);
      return {};
    },
    'clients.ask': async ({ caller, body }) => await askToAllow(parts, caller, body),
    'clients.decide': async ({ caller, params, body }) => await decideAsk(parts, caller, { ...params, ...body }),
    'clients.list': async ({ caller }) => await listClients(db, caller),
    'clients.remove': async ({ caller, params }) => await removeClient(db, caller, params.id),
  };
}
