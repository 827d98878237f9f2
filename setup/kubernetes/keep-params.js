// @ts-check
import { apply } from './kubectl.js';

/** @import { Cluster } from './layout.js' */

const name = 'keeps-params';
const apiVersion = 'admissionregistration.k8s.io/v1';

/**
 * A policy of admission that matches nothing and reads a ConfigMap. Without one, an API server stops for good to read ConfigMaps for such
 * policies when the last of them goes (kubernetes/kubernetes#130887). Then the policy of the next test finds no record.
 *
 * @param {Cluster} cluster
 * @param {string} programs
 */
export async function keepParams(cluster, programs) {
  const nowhere = { matchLabels: { 'kubernetes.io/metadata.name': name } };
  const policy = {
    apiVersion,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    spec: {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      matchConstraints: {
        namespaceSelector: nowhere,
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'] }],
      },
      validations: [{ expression: 'true' }],
    },
  };
  const paramRef = { name, namespace: 'default', parameterNotFoundAction: 'Allow' };
  const binding = {
    apiVersion,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name },
    spec: { policyName: name, validationActions: ['Deny'], paramRef },
  };
  await apply(cluster, programs, [policy, binding]);
}
