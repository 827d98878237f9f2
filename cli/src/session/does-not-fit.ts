import type { Endpoint } from '@gantry/contract/endpoint.ts';
import { endpoints, type EndpointName } from '@gantry/contract/endpoints.ts';
import { Unreachable } from '@gantry/contract/client/unreachable.ts';

/**
 * For a command that failed on an answer: undefined when the answer is as the contract says, and the fault is the client's own. Asked only
 * after a failure, because a service of another version may say more or less than this client knows.
 */
export function doesNotFit(server: string, name: EndpointName, answer: unknown): Unreachable | undefined {
  const { method, path, reply }: Endpoint = endpoints[name];
  if (reply.kind !== 'data' && reply.kind !== 'bare' && reply.kind !== 'list') return undefined;
  const values = reply.kind === 'list' ? (answer as { items: unknown[] }).items : [answer]; // the client made this page
  if (values.every((value) => reply.schema.safeParse(value).success)) return undefined;
  return new Unreachable(server, undefined, {
    what: `gave an answer to ${method} ${path} that this svc does not understand`,
    hint: 'Another program answers there, or a service of another version. Name the service: --server or SERVICE_URL.',
  });
}
