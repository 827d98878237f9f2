import type { Handlers } from '../../governance/http/handlers.ts';
import { askToConnect } from './ask.ts';
import { decideAsk } from './decide.ts';
import { beginSignIn } from './oauth/begin.ts';
import { clientDocument } from './oauth/client-document.ts';
import { finishSignIn } from './oauth/finish.ts';
import type { ConnectionParts } from './parts.ts';
import { removeConnection } from './remove.ts';
import { connectWithKey } from './set-key.ts';
import { showConnections } from './show-connections.ts';

export function connectionsRoutes(parts: ConnectionParts): Handlers<'connections'> {
  return {
    'connections.show': async ({ caller }) => await showConnections(parts, caller),
    'connections.ask': async ({ caller, params }) => await askToConnect(parts, caller, params.name),
    'connections.set_key': async ({ caller, params, body }) =>
      await connectWithKey(parts, caller, { ...params, ...body }),
    'connections.begin': async ({ caller, params }) => await beginSignIn(parts, caller, params.id),
    'connections.finish': async ({ caller, body }) => await finishSignIn(parts, caller, body),
    'connections.client_document': async ({ params }) =>
      await Promise.resolve(clientDocument(parts.base_url(), params.name)),
    'connections.decide': async ({ caller, params, body }) => await decideAsk(parts, caller, { ...params, ...body }),
    'connections.remove': async ({ caller, params, query }) =>
      await removeConnection(parts, caller, { ...params, ...query }),
  };
}
