// The credential of Vertex AI is the key of a service account, as JSON. It signs a request for a token, and only the token goes to the model.
// Promise: the signed request goes to Google's own address, or to one that an operator has listed. A token is used until shortly before its end.
import { createHash } from 'node:crypto';
import { googleGrant, google_token_address } from '../../../ground/google-assertion.ts';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Outbound } from '../../../ground/outbound/outbound.ts';
import { AttemptFailed, unavailable } from './attempt-failed.ts';
import { connectionProblem } from './connection-problem.ts';
import type { Model, Upstream } from '../model.ts';
import { jsonIn } from '../../../ground/json-in.ts';

export interface GoogleTokens {
  /** The upstream with a token as its credential; itself when it has no service account. Throws AttemptFailed. */
  authorize(model: Model, upstream: Upstream): Promise<Upstream>;
}

const asking_ms = 10_000;
const max_answer_bytes = 64 * 1024;
const longest_seconds = 3600;
/** A call can begin long after its token was read. */
const spare_seconds = 300;

export function openGoogleTokens({
  outbound,
  private_hosts,
}: {
  outbound: Outbound;
  private_hosts: readonly string[];
}): GoogleTokens {
  const known = new LRUCache<string, Promise<Token>>({ max: 1000 });
  return {
    authorize: async (model, upstream) => {
      const { service_account } = upstream;
      if (service_account === undefined) return upstream;
      const name = createHash('sha256').update(service_account).digest('base64');
      for (;;) {
        // All calls that wait share one request for a token. One that failed is not kept.
        let asking = known.get(name);
        if (asking === undefined) {
          asking = askToken(outbound, { model, upstream, service_account, private_hosts });
          known.set(name, asking);
          asking.catch(() => known.delete(name));
        }
        const { text, ends_ms } = await asking;
        if (ends_ms > Date.now()) return { ...upstream, credential: text };
        if (known.get(name) === asking) known.delete(name);
      }
    },
  };
}

interface Token {
  text: string;
  ends_ms: number;
}

const account = z.object({
  type: z.literal('service_account'),
  client_email: z.string().min(3).max(320),
  private_key: z.string().min(100).max(16_384),
  private_key_id: z.string().max(200).optional(),
  token_uri: z.string().max(500).default(google_token_address),
});

interface Asking {
  model: Model;
  upstream: Upstream;
  service_account: string;
  private_hosts: readonly string[];
}

async function askToken(
  outbound: Outbound,
  { model, upstream, service_account, private_hosts }: Asking,
): Promise<Token> {
  const refused = (why: string) =>
    new AttemptFailed(unavailable(model, `${why}; its secret is ${upstream.secret ?? ''}`), { kind: 'refused' });
  const read = account.safeParse(jsonIn(service_account));
  if (!read.success) throw refused('its credential is no key of a service account in JSON');
  const { token_uri } = read.data;
  if (token_uri !== google_token_address && !private_hosts.includes(hostOf(token_uri)))
    throw refused('its service account names an address for tokens that is not Google’s');
  const grant = await googleGrant(read.data, { address: token_uri, lasts_seconds: longest_seconds }).catch(() => {
    throw refused('the private key of its service account cannot be read');
  });
  const { status, said } = await ask(outbound, token_uri, grant).catch((cause: unknown) => {
    const problem = connectionProblem(cause, model, { ...upstream, base_url: token_uri });
    throw new AttemptFailed(unavailable(model, `it gets no token: ${problem}`), { kind: 'unsent', cause });
  });
  const answer = token.safeParse(said);
  if (status !== 200 || !answer.success) throw refused(`Google refused its service account with ${status}`);
  const { access_token, expires_in } = answer.data;
  const lives = Math.min(expires_in, longest_seconds);
  const seconds = Math.max(lives - spare_seconds, lives / 2);
  return { text: access_token, ends_ms: Date.now() + seconds * 1000 };
}

const token = z.object({
  access_token: z.string().regex(/^[\x21-\x7e]{8,8192}$/),
  expires_in: z.int().min(1).default(longest_seconds),
});

async function ask(outbound: Outbound, address: string, grant: string): Promise<{ status: number; said: unknown }> {
  const { statusCode: status, body } = await outbound.request(address, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': 'gantry' },
    body: grant,
    signal: AbortSignal.timeout(asking_ms),
  });
  let text = '';
  for await (const chunk of body as AsyncIterable<Buffer>) {
    text += chunk.toString('latin1');
    if (text.length > max_answer_bytes) break;
  }
  return { status, said: jsonIn(text) };
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : '';
}
