import { z } from 'zod';
import { kind } from './kind.ts';

/** A namespace of a Kubernetes cluster. */
export const kubernetes = kind({
  fields: {
    namespace: z
      .string()
      .max(63)
      .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, 'is no name of a namespace: lower-case letters, digits and hyphens')
      .optional()
      .describe('The namespace of the agents in a cluster. It exists, and nothing else runs in it'),
    runtime_class: z
      .string()
      .max(253)
      .regex(/^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/, 'is no name of a RuntimeClass')
      .optional()
      .describe('The RuntimeClass of pods, such as one of gVisor or Kata; unset: that of the cluster'),
  },
  check({ address, ca, namespace }, fault) {
    if (!isAddress(address)) fault('address', 'is not https://<host>[:<port>], the address of an API server');
    if (ca === undefined) fault('ca', 'is missing; a cluster needs it');
    if (namespace === undefined) fault('namespace', 'is missing; a cluster needs it');
  },
});

function isAddress(text = ''): boolean {
  const url = URL.parse(text);
  return url !== null && url.protocol === 'https:' && url.href === `${url.origin}/`;
}
