import { clientScopes, type ClientScope } from '@gantry/contract/people/clients.ts';
import { originOf, readResource } from './resource.ts';

/** RFC 8414, with `iss` in each answer (RFC 9207). The browser opens a page of the console. */
export function serverMetadata(base_url: string) {
  const issuer = originOf(base_url);
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    registration_endpoint: `${issuer}/oauth/register`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    scopes_supported: Object.keys(clientScopes) as ClientScope[], // the keys of the table
    response_types_supported: ['code' as const],
    response_modes_supported: ['query' as const],
    grant_types_supported: ['authorization_code' as const, 'refresh_token' as const],
    token_endpoint_auth_methods_supported: ['none' as const],
    revocation_endpoint_auth_methods_supported: ['none' as const],
    code_challenge_methods_supported: ['S256' as const],
    authorization_response_iss_parameter_supported: true as const,
    client_id_metadata_document_supported: true as const,
  };
}

/** RFC 9728. */
export function resourceMetadata(base_url: string, path: string) {
  const origin = originOf(base_url);
  const { resource, scopes } = readResource(base_url, `${origin}${path}`);
  return {
    resource,
    authorization_servers: [origin],
    scopes_supported: [...scopes],
    bearer_methods_supported: ['header' as const],
  };
}
