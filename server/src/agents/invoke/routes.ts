import type { Handlers } from '../../governance/http/handlers.ts';
import { a2aHandlers } from './a2a/handlers.ts';
import { call } from './call.ts';
import { health } from './health.ts';
import type { Ingress } from './ingress.ts';
import { input } from './input.ts';
import { cancelInvocation, readInvocation } from './invocations.ts';
import { stream } from './streams/stream.ts';

export function invokeRoutes(ingress: Ingress): Handlers<'invoke' | 'a2a'> {
  return {
    ...a2aHandlers(ingress),
    'invoke.call': async ({ params: { name }, caller, headers, body, signal, trace }) =>
      await call(ingress, { caller, name, headers, body, signal, trace }),
    'invoke.stream': async ({ params: { name }, caller, headers, body, signal, trace }) =>
      await stream(ingress, { caller, name, headers, body, signal, trace }),
    'invoke.run': async ({ caller, params }) => await readInvocation(ingress, { caller, ...params }),
    'invoke.cancel': async ({ caller, params }) => await cancelInvocation(ingress, { caller, ...params }),
    'invoke.health': async ({ caller, params, signal }) => await health(ingress, { caller, name: params.name, signal }),
    'invoke.input': async ({ caller, params, signal }) => await input(ingress, { caller, name: params.name, signal }),
  };
}
