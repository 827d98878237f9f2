import { z } from 'zod';
import { targetKinds } from '@gantry/contract/assets/targets.ts';
import { httpAddress } from './http-address.ts';

const certificate = z
  .string()
  .max(64_000)
  .refine((text) => text.trim().startsWith('-----BEGIN CERTIFICATE-----'), {
    error: 'is no certificate in the form PEM, which begins with -----BEGIN CERTIFICATE-----',
  });

/** Another machine on which agents run: its container engine, and the registry that brings images to it. */
export const target = z
  .strictObject({
    kind: z.enum(targetKinds).describe('`engine`: the container engine of another machine'),
    address: z
      .string()
      .max(300)
      .refine((text) => addressOf(text) !== undefined, {
        error: 'is not tcp://<host>:<port> or ssh://<user>@<host>[:<port>][/path of the socket]',
      })
      .describe(
        'Its address: tcp://<host>:<port>, always with TLS, or ssh://<user>@<host>[:<port>]; after it the path of the socket, unless it is /var/run/docker.sock',
      ),
    ca: certificate
      .optional()
      .describe('PEM: the authority that signed the certificate of an engine at tcp://. No other is accepted'),
    host_fingerprint: z
      .string()
      .regex(/^SHA256:[A-Za-z0-9+/]{43}$/, 'must be as `ssh-keyscan <host> | ssh-keygen -lf -` prints it: SHA256:…')
      .optional()
      .describe('The key of the machine at ssh://. No other is accepted'),
    registry: httpAddress.describe(
      'The registry that brings images to it, with the repository: https://<host>/<repository>',
    ),
    service_ca: certificate
      .optional()
      .describe(
        'PEM: the only authority that the certificate of `service_url` may have for agents that dial in; unset: those of their system',
      ),
    service_url: httpAddress.describe(
      'The address at which containers there reach the door of this service (DOOR_URL)',
    ),
  })
  .superRefine(({ address, ca, host_fingerprint, registry, service_url }, context) => {
    const fault = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
    const protocol = addressOf(address)?.protocol;
    if (protocol === 'tcp:' && ca === undefined) fault('ca', 'is missing; `tcp://` needs it');
    if (protocol === 'tcp:' && host_fingerprint !== undefined) fault('host_fingerprint', 'belongs to `ssh://`');
    if (protocol === 'ssh:' && host_fingerprint === undefined)
      fault('host_fingerprint', 'is missing; `ssh://` needs it');
    if (protocol === 'ssh:' && ca !== undefined) fault('ca', 'belongs to `tcp://`');
    if (URL.parse(registry)?.pathname === '/') fault('registry', 'names no repository: https://<host>/<repository>');
    for (const [field, url] of Object.entries({ registry, service_url }))
      if (!isEncrypted(url)) fault(field, 'must be https://: images and secrets of agents go there');
  });

/** `tcp://host:port`, or `ssh://user@host[:port][/path]`; undefined for any other text. */
function addressOf(text: string): URL | undefined {
  const url = URL.parse(text);
  if (url === null || url.hostname === '' || url.password !== '' || url.search !== '' || url.hash !== '')
    return undefined;
  if (url.protocol === 'tcp:')
    return url.username === '' && url.port !== '' && url.pathname.length < 2 ? url : undefined;
  return url.protocol === 'ssh:' && url.username !== '' ? url : undefined;
}

// On the machine itself nothing listens on the way.
function isEncrypted(text: string): boolean {
  const url = URL.parse(text);
  return url === null || url.protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
}
