import { z } from 'zod';
import { certificate, checkWays, faultsOf, ways } from './ways.ts';

/** The container engine of another machine. */
export const engine = z
  .strictObject({
    kind: z.literal('engine').describe('The container engine of another machine'),
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
    ...ways,
  })
  .superRefine(({ address, ca, host_fingerprint, ...between }, context) => {
    const fault = faultsOf(context);
    const protocol = addressOf(address)?.protocol;
    if (protocol === 'tcp:' && ca === undefined) fault('ca', 'is missing; `tcp://` needs it');
    if (protocol === 'tcp:' && host_fingerprint !== undefined) fault('host_fingerprint', 'belongs to `ssh://`');
    if (protocol === 'ssh:' && host_fingerprint === undefined)
      fault('host_fingerprint', 'is missing; `ssh://` needs it');
    if (protocol === 'ssh:' && ca !== undefined) fault('ca', 'belongs to `tcp://`');
    checkWays(between, fault);
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
