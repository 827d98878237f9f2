import type { Caller, KeyCaller } from '../access/caller.ts';
import type { SurfaceHandlers } from '../http/handlers.ts';
import { callModel } from './call.ts';
import type { GatewayParts } from './parts.ts';
import { chatCompletions } from './wires/chat-completions.ts';
import { authorize } from '../access/authorize.ts';
import { theOrg } from '../access/subject.ts';

export function gatewayRoutes(parts: GatewayParts): SurfaceHandlers<'gateway'> {
  return {
    'gateway.chat_completions': async ({ caller, body, signal }) =>
      await callModel(parts, chatCompletions, { caller: withKey(caller), body, signal }),
  };
}

function withKey(caller: Caller): KeyCaller {
  authorize(caller, 'model.call', theOrg);
  if (caller.kind !== 'key') throw new Error('only a key may call a model');
  return caller;
}
