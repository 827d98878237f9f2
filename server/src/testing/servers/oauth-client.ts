// A program of others that signs in with only an address: the official client, and the page that its person sees.
import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type OAuthClientProvider,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import type { AuthorizationRequest } from '@gantry/contract/people/clients.ts';
import type { Client as ApiClient } from '@gantry/contract/client/client.ts';

export const redirect_uri = 'http://127.0.0.1:49152/callback';

/** What the program keeps. */
export interface Kept {
  provider: OAuthClientProvider;
  /** The address that it has opened in the browser. */
  opened: URL | undefined;
  client: StoredOAuthClientInformation | undefined;
  tokens: StoredOAuthTokens | undefined;
  verifier: string;
}

export function programOfOthers(): Kept {
  const kept: Kept = {
    opened: undefined,
    client: undefined,
    tokens: undefined,
    verifier: '',
    provider: {
      redirectUrl: redirect_uri,
      clientMetadata: { client_name: 'Coder', redirect_uris: [redirect_uri], token_endpoint_auth_method: 'none' },
      state: () => 'state of the program',
      clientInformation: () => kept.client,
      saveClientInformation: (client) => void (kept.client = client),
      tokens: () => kept.tokens,
      saveTokens: (tokens) => void (kept.tokens = tokens),
      redirectToAuthorization: (url) => void (kept.opened = url),
      saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
      codeVerifier: () => kept.verifier,
      invalidateCredentials: (what) => {
        if (what === 'all' || what === 'client') kept.client = undefined;
        if (what === 'all' || what === 'tokens') kept.tokens = undefined;
      },
    },
  };
  return kept;
}

/** Connects with what the program has. Throws `UnauthorizedError` after it has opened the browser. */
export async function connect({ provider }: Pick<Kept, 'provider'>, address: string): Promise<Client> {
  const client = new Client({ name: 'coder', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(new URL(address), { authProvider: provider }));
  return client;
}

/** From the bare address to a connected client, with a person who allows it. */
export async function signIn(kept: Kept, address: string, person: Pick<ApiClient, 'call'>): Promise<Client> {
  return await finish(kept, address, await decide(person, await begin(kept, address)));
}

/** The address that the program opens in the browser. */
export async function begin(kept: Kept, address: string): Promise<URL> {
  await connect(kept, address).then(
    async (client) => {
      await client.close();
      throw new Error('it is signed in already');
    },
    (error: unknown) => {
      if (!(error instanceof UnauthorizedError)) throw error;
    },
  );
  if (kept.opened === undefined) throw new Error('no browser was opened');
  return kept.opened;
}

/** Connects after the browser has come back with this address. */
export async function finish(kept: Kept, address: string, back: URL): Promise<Client> {
  const transport = new StreamableHTTPClientTransport(new URL(address), { authProvider: kept.provider });
  await transport.finishAuth(back.searchParams);
  return await connect(kept, address);
}

/** What the page does, for a person who allows it. Returns the address to which the browser goes. */
async function decide(person: Pick<ApiClient, 'call'>, opened: URL): Promise<URL> {
  const body = Object.fromEntries(opened.searchParams) as unknown as AuthorizationRequest; // the API parses it
  const { id } = await person.call('clients.ask', { body });
  const { address } = await person.call('clients.decide', { params: { id }, body: { decision: 'allow' } });
  return new URL(address);
}

/** A request of the protocol, to see the answer of HTTP. */
export async function askMcp(
  address: string,
  token: string | undefined,
  { method = 'tools/list', params = {} }: { method?: string; params?: object } = {},
): Promise<Response> {
  return await fetch(address, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
}
