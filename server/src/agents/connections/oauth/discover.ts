// Where people sign in for an MCP server: its protected resource metadata (RFC 9728) name the authorization server, whose metadata (RFC 8414, or those of
// OpenID) have its endpoints. Each address comes from outside, so each goes through the checked connections.
import {
  assertSecureTokenEndpoint,
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
  resourceUrlFromServerUrl,
  type AuthorizationServerMetadata,
} from '@modelcontextprotocol/client';
import { boundedFetch } from '../../../ground/outbound/bounded-fetch.ts';
import type { Outbound } from '../../../ground/outbound/outbound.ts';
import { challengeOf } from './challenge.ts';
import { IssuerChanged, SignInFailed } from './sign-in-failed.ts';

export interface Authorization {
  issuer: string;
  metadata: AuthorizationServerMetadata;
  /** RFC 8707, exactly as the server writes it. */
  resource: string;
  /** Those that the server names. */
  scopes: readonly string[];
}

/** `issuer`: only this one. Throws the reason. */
export async function discover(
  outbound: Outbound,
  address: string,
  only: { issuer?: string } = {},
): Promise<Authorization> {
  const fetch = boundedFetch(outbound);
  const challenge = extractWWWAuthenticateParams(await challengeOf(outbound, address));
  const named = challenge.resourceMetadataUrl;
  const described = await discoverOAuthProtectedResourceMetadata(
    address,
    named === undefined ? {} : { resourceMetadataUrl: named },
    fetch,
  ).catch((error: unknown) => {
    if (error instanceof Error && error.message.includes('does not implement'))
      throw new SignInFailed('the server does not say where people sign in (RFC 9728). It may take an API key.');
    throw error;
  });
  const { resource, authorization_servers = [], scopes_supported = [] } = described;
  if (!checkResourceAllowed({ requestedResource: resourceUrlFromServerUrl(address), configuredResource: resource }))
    throw new SignInFailed('the server describes another resource than itself.');
  const issuer =
    only.issuer === undefined
      ? authorization_servers[0]
      : authorization_servers.find((one) => isSame(one, only.issuer));
  if (issuer === undefined && only.issuer !== undefined)
    throw new IssuerChanged('the server has another authorization server now.');
  if (issuer === undefined) throw new SignInFailed('the server names no authorization server.');
  const metadata = await discoverAuthorizationServerMetadata(issuer, { fetchFn: fetch });
  if (metadata === undefined) throw new SignInFailed('its authorization server has no metadata (RFC 8414).');
  if (metadata.code_challenge_methods_supported?.includes('S256') !== true)
    throw new SignInFailed('its authorization server does not offer PKCE with S256.');
  // The browser opens it, so it is an address of the web, and none of this network.
  assertSecureTokenEndpoint(outbound.read(metadata.authorization_endpoint));
  const scopes = challenge.scope?.split(' ') ?? scopes_supported;
  return { issuer: metadata.issuer, metadata, resource, scopes };
}

/** A final slash of an origin says nothing. */
function isSame(one: string, other: string | undefined): boolean {
  return one.replace(/\/$/, '') === other?.replace(/\/$/, '');
}
