import type { Handlers } from '../http/handlers.ts';
import { call, cancelRun, readRun } from './call.ts';
import type { Ingress } from './ingress.ts';
import { health, stream } from './stream.ts';

export function invokeRoutes(ingress: Ingress): Handlers<'invoke'> {
  return {
    'invoke.call': async ({ caller, params, body, request, signal }) =>
      await call(ingress, { caller, name: params.name, body, headers: request.headers, signal }),
    'invoke.stream': async ({ caller, params, body, request, signal }) =>
      await stream(ingress, { caller, name: params.name, body, headers: request.headers, signal }),
    'invoke.run': async ({ caller, params }) => await readRun(ingress, caller, params.name, params.run_id),
    'invoke.cancel': async ({ caller, params }) => await cancelRun(ingress, caller, params.name, params.run_id),
    'invoke.health': async ({ caller, params, signal }) => await health(ingress, caller, params.name, signal),
  };
}
