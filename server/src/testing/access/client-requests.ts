// Requests about programs that act for a person. What a person decides belongs to their session, so here each id is one of nobody.
import type { Client } from '@gantry/contract/client/client.ts';
import { redirect_uri } from '../servers/oauth-client.ts';

const nobody = { id: '00000000-0000-4000-8000-000000000000' };
const form = (text: string) => ({ body: new Blob([text]) });

export function clientRequests({ anonymous, url }: { anonymous: () => Client; url: () => string }) {
  // Registered once: the number of one network is limited.
  let registered: Promise<string> | undefined;
  const register = async () =>
    (await anonymous().call('clients.register', { body: { redirect_uris: [redirect_uri] } })).client_id;
  return {
    'clients.metadata': () => ({}),
    'clients.control_resource': () => ({}),
    'clients.server_resource': () => ({ params: { name: 'nothing' } }),
    'clients.agent_resource': () => ({ params: { name: 'nothing' } }),
    'clients.register': () => ({ body: { redirect_uris: [redirect_uri] } }),
    'clients.token': () => form('grant_type=refresh_token&refresh_token=of-nobody&client_id=of-nobody'),
    'clients.revoke': () => form('token=of-nobody&client_id=of-nobody'),
    'clients.ask': async () => ({
      body: {
        response_type: 'code',
        client_id: await (registered ??= register()),
        redirect_uri,
        code_challenge: 'a'.repeat(43),
        code_challenge_method: 'S256',
        resource: `${url()}/mcp`,
      },
    }),
    'clients.decide': () => ({ params: nobody, body: { decision: 'allow' as const } }),
    'clients.list': () => ({}),
    'clients.remove': () => ({ params: nobody }),
  };
}
