// The official TypeScript SDK as a client of an agent.
import type { Message } from '@a2a-js/sdk';
import {
  ClientFactory,
  ClientFactoryOptions,
  createAuthenticatingFetchWithRetry,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
  type Client,
} from '@a2a-js/sdk/client';

export type Binding = 'JSONRPC' | 'HTTP+JSON';

export async function a2aClient(agent_url: string, token: string, binding: Binding = 'JSONRPC'): Promise<Client> {
  const fetchImpl = createAuthenticatingFetchWithRetry(fetch, {
    headers: async () => await Promise.resolve({ authorization: `Bearer ${token}` }),
    shouldRetryWithHeaders: async () => await Promise.resolve(undefined),
  });
  const factory = new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new JsonRpcTransportFactory({ fetchImpl }), new RestTransportFactory({ fetchImpl })],
      cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
      preferredTransports: [binding],
    }),
  );
  // The resolver's path is relative to the address.
  return await factory.createFromUrl(`${agent_url}/`, '.well-known/agent-card.json');
}

/** A message with one part. */
export function say(said: string | object, more: Partial<Message> = {}): { message: Message } {
  const content = typeof said === 'string' ? { $case: 'text', value: said } : { $case: 'data', value: said };
  const part = { content, metadata: undefined, filename: '', mediaType: '' };
  return {
    message: {
      messageId: crypto.randomUUID(),
      contextId: '',
      taskId: '',
      role: 1,
      parts: [part],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
      ...more,
    },
  } as unknown as { message: Message };
}
