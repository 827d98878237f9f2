// A plain HTTP server in place of an agent's container. It proves its revision like the wrapper, and answers other requests itself.
import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ingressSecret } from '../../agents/deploy/serving/ingress-secret.ts';
import { serveAgent, type StoredAgent } from '../stored/stored-agent.ts';
import type { TestApp } from '../test-app.ts';

/**
 * From now on `answer` replies for the agent's container. The server ends with the tests' process. `cut` ends its connections. A busy
 * container does not prove itself on a new one.
 */
export async function standInFor(
  app: TestApp,
  agent: StoredAgent,
  answer: RequestListener,
  { isBusy = () => false }: { isBusy?: () => boolean } = {},
): Promise<{ cut: () => void }> {
  let secret = '';
  const server = createServer((request, response) => {
    if (isBusy()) request.socket.destroy();
    else if (request.url === '/identity') prove(secret, request, response);
    else answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on TCP
  secret = ingressSecret(app.keys['ingress-secret'], await serveAgent(app, agent, url));
  return { cut: () => server.closeAllConnections() };
}

export function prove(secret: string, request: IncomingMessage, response: ServerResponse): void {
  const challenge = String(request.headers['x-svc-challenge']);
  const proof = createHmac('sha256', secret).update(`svc-identity:${challenge}`).digest('hex');
  response.writeHead(204, { 'x-svc-proof': proof }).end();
}
