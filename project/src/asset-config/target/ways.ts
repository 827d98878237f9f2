// What every kind of target says about the ways between it and the service.
import { z } from 'zod';
import { httpAddress } from '../http-address.ts';
import type { AddFault } from './kind.ts';

export const certificate = z
  .string()
  .max(64_000)
  .refine((text) => text.trim().startsWith('-----BEGIN CERTIFICATE-----'), {
    error: 'is no certificate in the form PEM, which begins with -----BEGIN CERTIFICATE-----',
  });

export const ways = {
  registry: httpAddress.describe(
    'The registry that brings images to it, with the repository: https://<host>/<repository>',
  ),
  service_ca: certificate
    .optional()
    .describe(
      'PEM: the only authority that the certificate of `service_url` may have for agents that dial in, and a further one for their clients; unset: those of their system',
    ),
  service_url: httpAddress.describe('The address at which containers there reach the door of this service (DOOR_URL)'),
};

export function checkWays({ registry, service_url }: { registry: string; service_url: string }, fault: AddFault): void {
  if (URL.parse(registry)?.pathname === '/') fault('registry', 'names no repository: https://<host>/<repository>');
  for (const [field, url] of Object.entries({ registry, service_url }))
    if (!isEncrypted(url)) fault(field, 'must be https://: images and secrets of agents go there');
}

// On the machine itself nothing listens on the way.
function isEncrypted(text: string): boolean {
  const url = URL.parse(text);
  return url === null || url.protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
}
