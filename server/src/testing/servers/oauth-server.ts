// An authorization server of others, `oidc-provider`, in front of an MCP server of this machine. Whoever visits it is signed in and agrees.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider, type Configuration } from 'oidc-provider';
import type { McpServerOfTest } from './mcp-server.ts';

export interface OAuthServerOfTest {
  issuer: string;
  /** What was asked of it, such as `POST /token`. */
  asked: string[];
  /** Where it sends the browser that has opened this address. */
  visit: (address: string) => Promise<URL>;
  /** The access token works here. */
  accepts: (token: string) => Promise<boolean>;
  /** In the metadata of the MCP server. */
  named: string[];
  close: () => Promise<void>;
}

interface Settings {
  token_seconds?: number;
  registers?: boolean;
  clients?: NonNullable<Configuration['clients']>;
}

/** Protects the server from now on. */
export async function oauthServerOfTest(
  upstream: McpServerOfTest,
  { token_seconds = 3600, registers = true, clients = [] }: Settings = {},
): Promise<OAuthServerOfTest> {
  const http = createServer();
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`; // it listens on TCP
  const provider = new Provider(issuer, {
    clients,
    scopes: ['openid', 'offline_access'],
    ttl: { AccessToken: token_seconds, RefreshToken: 86_400, Grant: 86_400, Interaction: 600, Session: 600 },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: registers },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: async (_, audience) =>
          await Promise.resolve({ scope: 'tools', audience, accessTokenFormat: 'opaque' }),
        useGrantedResource: async () => await Promise.resolve(true),
      },
    },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
  });
  const made: OAuthServerOfTest = {
    issuer,
    asked: [],
    visit,
    accepts: async (token) => {
      const found = await provider.AccessToken.find(token);
      return found?.isValid === true && [found.aud].flat().includes(upstream.url);
    },
    named: [issuer],
    close: async () => {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  const answer = provider.callback();
  http.on('request', (request, response) => {
    made.asked.push(`${request.method} ${request.url?.split('?')[0]}`);
    if (request.url?.startsWith('/interaction/') !== true) return void answer(request, response);
    void (async () => {
      const { prompt, params, session } = await provider.interactionDetails(request, response);
      if (prompt.name === 'login')
        return await provider.interactionFinished(request, response, { login: { accountId: 'ada-there' } });
      const grant = new provider.Grant({ accountId: session?.accountId ?? '', clientId: String(params['client_id']) });
      grant.addOIDCScope('openid offline_access');
      grant.addResourceScope(String(params['resource']), 'tools');
      return await provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
    })();
  });
  protect(upstream, made);
  return made;
}

function protect(upstream: McpServerOfTest, { accepts, named }: OAuthServerOfTest): void {
  const metadata = new URL('/.well-known/oauth-protected-resource/mcp', upstream.url).href;
  upstream.instead = async ({ path, headers }) => {
    const json = { 'content-type': 'application/json' };
    if (path === new URL(metadata).pathname) {
      const body = { resource: upstream.url, authorization_servers: named, scopes_supported: ['tools'] };
      return { status: 200, headers: json, body: JSON.stringify(body) };
    }
    const [, token] = /^Bearer (.*)$/.exec(headers.authorization ?? '') ?? [];
    if (token !== undefined && (await accepts(token))) return undefined;
    return { status: 401, headers: { 'www-authenticate': `Bearer resource_metadata="${metadata}"` } };
  };
}

const most_steps = 10;

/** A browser with cookies, which stops where it would leave the authorization server. */
async function visit(address: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let at = new URL(address);
  for (let step = 0; step < most_steps; step += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(at, { redirect: 'manual', headers: { cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    const location = answer.headers.get('location');
    if (location === null) throw new Error(`no redirect but ${answer.status}: ${await answer.text()}`);
    const next = new URL(location, at);
    if (next.origin !== at.origin) return next;
    at = next;
  }
  throw new Error('too many redirects');
}
