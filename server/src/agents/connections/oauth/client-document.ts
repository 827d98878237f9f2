// The client that the service is at an authorization server which knows it from nowhere: its id is the https address of a document that says who it is. Each
// server has its own, as each has its own redirect URI.
import type { AuthorizationServerMetadata } from '@modelcontextprotocol/client';
import { DestinationRefused, type Outbound } from '../../../ground/outbound/outbound.ts';

/** `server`: its name, whether or not there is such a server. */
export function clientDocument(base_url: string, server: string) {
  return {
    client_id: documentAddress(base_url, server),
    client_uri: base_url,
    ...clientMetadata(redirectUri(base_url, server), 'none'),
  };
}

export const documentAddress = (base_url: string, server: string) => `${base_url}/oauth/client/${server}`;

export const redirectUri = (base_url: string, server: string) => `${base_url}/connections/callback/${server}`;

/** RFC 7591 */
export function clientMetadata<Method extends string>(redirect_uri: string, token_endpoint_auth_method: Method) {
  return {
    client_name: 'Gantry',
    redirect_uris: [redirect_uri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method,
    application_type: 'web' as const,
  };
}

/** A service in a private network has a document that nobody outside can read. Where clients can register, it does that. */
export async function isKnownByDocument(
  { outbound, base_url }: { outbound: Outbound; base_url: () => string },
  metadata: AuthorizationServerMetadata,
): Promise<boolean> {
  const address = base_url();
  if (metadata.client_id_metadata_document_supported !== true || !address.startsWith('https://')) return false;
  if (metadata.registration_endpoint === undefined) return true;
  try {
    await outbound.check(address);
    return true;
  } catch (error) {
    if (error instanceof DestinationRefused) return false;
    throw error;
  }
}
