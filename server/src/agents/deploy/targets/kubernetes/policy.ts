// What the service does in a cluster. `svc target test` asks for each right, and the policy has exactly these.
import type { V1ClusterRole, V1Role } from '@kubernetes/client-node';

export interface Right {
  group: string;
  resource: string;
  subresource?: string;
  verbs: readonly string[];
}

// An apply makes the object when it is missing: both verbs.
const applied = ['create', 'patch'] as const;

export const rights: readonly Right[] = [
  { group: 'apps', resource: 'deployments', verbs: [...applied, 'get', 'list', 'delete'] },
  { group: '', resource: 'secrets', verbs: [...applied, 'get'] },
  { group: '', resource: 'serviceaccounts', verbs: [...applied, 'get'] },
  { group: 'networking.k8s.io', resource: 'networkpolicies', verbs: [...applied, 'get'] },
  { group: 'policy', resource: 'poddisruptionbudgets', verbs: [...applied, 'get'] },
  { group: '', resource: 'pods', verbs: ['list', 'patch'] },
  { group: '', resource: 'pods', subresource: 'log', verbs: ['get'] },
];

/** Outside the namespace: the memory for agents. */
export const cluster_rights: readonly Right[] = [{ group: '', resource: 'nodes', verbs: ['list'] }];

export const nameOf = ({ resource, subresource }: Right) =>
  subresource === undefined ? resource : `${resource}/${subresource}`;

const rulesOf = (of: readonly Right[]) =>
  of.map((right) => ({ apiGroups: [right.group], resources: [nameOf(right)], verbs: [...right.verbs] }));

/** Whoever runs the target binds them to its service account. */
export const role = ({ name, namespace }: { name: string; namespace: string }): V1Role => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'Role',
  metadata: { name, namespace },
  rules: rulesOf(rights),
});

export const clusterRole = (name: string): V1ClusterRole => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name },
  rules: rulesOf(cluster_rights),
});
