import { z } from 'zod';
import { httpAddress } from '../http-address.ts';
import { kind } from './kind.ts';

/** The address of the cluster in which the service itself runs: its pod has the authority and the credential. */
export const in_cluster = 'in-cluster';

const runtimeClass = z
  .string()
  .max(253)
  .regex(/^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/, 'is no name of a RuntimeClass')
  .optional();

/** A namespace of a Kubernetes cluster. */
export const kubernetes = kind({
  fields: {
    namespace: z
      .string()
      .max(63)
      .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, 'is no name of a namespace: lower-case letters, digits and hyphens')
      .optional()
      .describe('The namespace of the agents in a cluster. It exists, and nothing else runs in it'),
    runtime_class: runtimeClass.describe(
      'The RuntimeClass of pods, such as one of gVisor or Kata; unset: that of the cluster',
    ),
    sandbox_runtime_class: runtimeClass.describe(
      'The RuntimeClass of agents with `isolation: sandbox`, such as one of gVisor; unset: they are refused',
    ),
    vm_runtime_class: runtimeClass.describe(
      'The RuntimeClass of agents with `isolation: vm`, such as one of Kata; unset: they are refused',
    ),
    egress_proxy_url: httpAddress
      .optional()
      .describe(
        'The address at which pods there reach the proxy of this service for limited agents (EGRESS_HOST, EGRESS_PORT). Unset: agents with limits are refused',
      ),
  },
  check({ address, ca, namespace, egress_proxy_url }, fault) {
    const isOwn = address === in_cluster;
    if (!isOwn && !isAddress(address))
      fault('address', `is not https://<host>[:<port>], the address of an API server, or ${in_cluster}`);
    if (!isOwn && ca === undefined) fault('ca', 'is missing; a cluster needs it');
    if (isOwn && ca !== undefined) fault('ca', `belongs to an address; ${in_cluster} has the one of its pod`);
    if (egress_proxy_url !== undefined && !isOrigin(egress_proxy_url))
      fault('egress_proxy_url', 'is not http://<host>:<port> or https://<host>:<port>');
    if (namespace === undefined) fault('namespace', 'is missing; a cluster needs it');
  },
});

const isAddress = (text = '') => URL.parse(text)?.protocol === 'https:' && isOrigin(text);

function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && url.href === `${url.origin}/`;
}
