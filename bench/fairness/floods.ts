// The floods of one user that a quiet one may hardly notice.
import { randomBytes } from 'node:crypto';
import { bodyOf } from '../gateway/way.ts';
import { projectOf } from '../../server/src/testing/pushes/project-archive.ts';
import type { Person } from '../fairness.ts';

export interface Flood {
  name: string;
  /** Each with one request at a time. */
  clients: number;
  requests: readonly FloodRequest[];
}

/** Client n sends request n, modulo the number of requests. */
interface FloodRequest {
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string | Uint8Array;
}

const mebibyte = 1024 * 1024;

export async function floodsOf({ email, password, token, key }: Person): Promise<Flood[]> {
  const [asUser, asKey] = [token, key].map((one) => ({ authorization: `Bearer ${one}` }));
  const json = { 'content-type': 'application/json' };
  const modelCall = (body: string): FloodRequest => ({
    method: 'POST',
    path: '/v1/chat/completions',
    headers: { ...asKey, ...json },
    body,
  });
  const signIn = (given: string): FloodRequest => ({
    method: 'POST',
    path: '/api/v1/auth/login',
    headers: json,
    body: JSON.stringify({ email, password: given }),
  });
  const get = (path: string): FloodRequest => ({ method: 'GET', path, headers: { ...asUser } });
  const invoke: FloodRequest = {
    method: 'POST',
    path: '/agents/greeter/invoke',
    headers: { ...asUser, ...json },
    body: JSON.stringify({ input: { message: 'hi, I am Grace' } }),
  };
  const pushes = await Promise.all(
    Array.from({ length: 6 }, async (_, n): Promise<FloodRequest> => {
      const files = { 'data.txt': randomBytes(2 * mebibyte).toString('base64') };
      const archive = projectOf({ name: `flood-${n}`, files });
      return {
        method: 'POST',
        path: `/api/v1/agents/flood-${n}/versions`,
        headers: { ...asUser, 'content-type': 'application/gzip' },
        body: new Uint8Array(await new Response(archive).arrayBuffer()),
      };
    }),
  );
  const text = 'Summarise this. '.repeat(mebibyte / 16);
  const large = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: text }], max_tokens: 100 });
  return [
    { name: '40 × GET /api/v1/home', clients: 40, requests: [get('/api/v1/home')] },
    { name: '40 model calls', clients: 40, requests: [modelCall(bodyOf('m'))] },
    { name: '16 model calls of 1 MB', clients: 16, requests: [modelCall(large)] },
    { name: '40 invokes of the same agent', clients: 40, requests: [invoke] },
    { name: '40 searches', clients: 40, requests: [get('/api/v1/registry/search?q=agent')] },
    { name: '40 refused searches', clients: 40, requests: [get('/api/v1/registry/search?nothing=1')] },
    { name: '6 pushes of 2 MB', clients: 6, requests: pushes },
    { name: '20 right sign-ins', clients: 20, requests: [signIn(password)] },
    // Last, because it ends in a refusal of further sign-ins.
    { name: '40 wrong sign-ins', clients: 40, requests: [signIn('not this one')] },
  ];
}
