import type { Handlers } from '../../governance/http/handlers.ts';
import { forHolders } from '../langgraph/holder-of-key.ts';
import type { ServedParts } from './parts.ts';
import { serveAgent } from './serve-agent.ts';

export function servedRoutes(parts: ServedParts): Handlers<'served'> {
  return forHolders(parts.ingress, {
    'served.agent': async ({ caller, params: { name }, headers, body, signal, trace }) =>
      await serveAgent(parts, { caller, name, headers, body, signal, trace }),
  });
}
