import { z } from 'zod';
import { kind } from './kind.ts';

/** The container engine of another machine. */
export const engine = kind({
  fields: {
    host_fingerprint: z
      .string()
      .regex(/^SHA256:[A-Za-z0-9+/]{43}$/, 'must be as `ssh-keyscan <host> | ssh-keygen -lf -` prints it: SHA256:…')
      .optional()
      .describe('The key of the machine of an engine at ssh://. No other is accepted'),
  },
  check({ address, ca, host_fingerprint }, fault) {
    const protocol = addressOf(address)?.protocol;
    if (protocol === undefined)
      fault('address', 'is not tcp://<host>:<port> or ssh://<user>@<host>[:<port>][/path of the socket]');
    if (protocol === 'tcp:' && ca === undefined) fault('ca', 'is missing; `tcp://` needs it');
    if (protocol === 'tcp:' && host_fingerprint !== undefined) fault('host_fingerprint', 'belongs to `ssh://`');
    if (protocol === 'ssh:' && host_fingerprint === undefined)
      fault('host_fingerprint', 'is missing; `ssh://` needs it');
    if (protocol === 'ssh:' && ca !== undefined) fault('ca', 'belongs to `tcp://`');
  },
});

/** `tcp://host:port`, or `ssh://user@host[:port][/path]`; undefined for any other text. */
function addressOf(text = ''): URL | undefined {
  const url = URL.parse(text);
  if (url === null || url.hostname === '' || url.password !== '' || url.search !== '' || url.hash !== '')
    return undefined;
  if (url.protocol === 'tcp:')
    return url.username === '' && url.port !== '' && url.pathname.length < 2 ? url : undefined;
  return url.protocol === 'ssh:' && url.username !== '' ? url : undefined;
}
