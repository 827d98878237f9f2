// A page of a site that nobody allows, and a page whose own name was made to lead to this service (DNS rebinding), reach no server of the Model Context
// Protocol, whatever token they hold.
import { isIP } from 'node:net';
import { Problem } from '@gantry/contract/problems.ts';
import type { AllowedOrigins } from './cross-origin.ts';
import type { RequestHeaders } from './request/request-headers.ts';

/** Throws `cross_site`. */
export async function requireKnownSender(
  headers: RequestHeaders,
  { base_url, allowed }: { base_url: string; allowed: AllowedOrigins },
): Promise<void> {
  const own = URL.parse(base_url);
  const host = URL.parse(`http://${headers.get('host')}`)?.hostname;
  if (host === undefined || !(host === own?.hostname || host === 'localhost' || isAddress(host)))
    throw new Problem('cross_site', {
      detail: 'The request names a host that is none of this service.',
      hint: `Send it to ${base_url}. BASE_URL is the address that clients use.`,
    });
  const origin = headers.get('origin');
  if (origin === null || origin === own?.origin || (await allowed()).includes(origin)) return;
  throw new Problem('cross_site', {
    detail: 'The page that sends this is of another site.',
    hint: 'An admin lists its origin in the setting browser_origins.',
  });
}

/** No name leads to another address here. */
function isAddress(host: string): boolean {
  return isIP(host.replace(/^\[|\]$/g, '')) !== 0;
}
