import type { Endpoint } from './endpoint.ts';

const problems = [
  'invalid_api_key',
  'model_not_allowed',
  'model_unpriced',
  'not_priceable',
  'budget_exceeded',
  'budget_in_flight',
  'rate_limit_exceeded',
  'model_refused',
  'model_unavailable',
  'model_error',
  'ledger_unavailable',
] as const;

export const gatewayEndpoints = {
  'gateway.chat_completions': {
    surface: 'gateway',
    method: 'POST',
    path: '/v1/chat/completions',
    summary: "Call a model with a gateway key, in OpenAI's format for chats",
    operation: 'model.call',
    body: 'raw',
    reply: { kind: 'raw', status: 200 },
    problems,
  },
} as const satisfies Record<string, Endpoint>;
