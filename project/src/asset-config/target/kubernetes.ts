import { z } from 'zod';
import { certificate, checkWays, faultsOf, ways } from './ways.ts';

/** A namespace of a Kubernetes cluster. */
export const kubernetes = z
  .strictObject({
    kind: z.literal('kubernetes').describe('A namespace of a Kubernetes cluster'),
    address: z
      .string()
      .max(300)
      .refine(isAddress, { error: 'is not https://<host>[:<port>], the address of an API server' })
      .describe('The address of its API server: https://<host>[:<port>]'),
    ca: certificate.describe('PEM: the authority that signed the certificate of the API server. No other is accepted'),
    namespace: z
      .string()
      .max(63)
      .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, 'is no name of a namespace: lower-case letters, digits and hyphens')
      .describe('The namespace of the agents. It exists, and nothing else runs in it'),
    runtime_class: z
      .string()
      .max(253)
      .regex(/^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/, 'is no name of a RuntimeClass')
      .optional()
      .describe('The RuntimeClass of the pods, such as one of gVisor or Kata; unset: that of the cluster'),
    ...ways,
  })
  .superRefine((config, context) => checkWays(config, faultsOf(context)));

function isAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && url.protocol === 'https:' && url.href === `${url.origin}/`;
}
