import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/client';
import { answer_ms, headersOf } from '../../../ground/outbound/bounded-fetch.ts';
import type { Outbound } from '../../../ground/outbound/outbound.ts';
import { version } from '../../../ground/version.ts';

/** Some servers greet everybody, some know no request before the greeting, and those of the older transport know only GET. */
const messages = [
  { method: 'tools/list' },
  {
    method: 'initialize',
    params: { protocolVersion: LATEST_PROTOCOL_VERSION, capabilities: {}, clientInfo: { name: 'gantry', version } },
  },
  undefined,
];

/** The server's answer to a request without a credential, which says how to get one. */
export async function challengeOf(outbound: Outbound, address: string): Promise<Response> {
  let answer = new Response(null);
  for (const message of messages) {
    answer = await ask(outbound, address, message);
    if (answer.headers.has('www-authenticate')) break;
  }
  return answer;
}

/** The body of the answer may be an endless stream, so nobody reads it. */
async function ask(outbound: Outbound, address: string, message: object | undefined): Promise<Response> {
  const answer = await outbound.request(address, {
    method: message === undefined ? 'GET' : 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      ...(message !== undefined && { 'content-type': 'application/json' }),
    },
    body: message === undefined ? null : JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
    signal: AbortSignal.timeout(answer_ms),
    headersTimeout: answer_ms,
    bodyTimeout: answer_ms,
  });
  answer.body.on('error', () => undefined).destroy();
  return new Response(null, { headers: headersOf(answer) });
}
