// What the service does in a cluster. `svc target test` asks for each right, and the policy has exactly these.
import { stringify } from 'yaml';
import type { TargetFile } from '../target.ts';

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
  { group: '', resource: 'configmaps', verbs: applied },
  { group: 'networking.k8s.io', resource: 'networkpolicies', verbs: [...applied, 'get'] },
  { group: 'policy', resource: 'poddisruptionbudgets', verbs: [...applied, 'get'] },
  { group: 'autoscaling', resource: 'horizontalpodautoscalers', verbs: [...applied, 'get'] },
  { group: '', resource: 'pods', verbs: ['list', 'patch'] },
  { group: '', resource: 'pods', subresource: 'log', verbs: ['get'] },
];

/** Outside the namespace: the memory for agents. */
export const cluster_rights: readonly Right[] = [{ group: '', resource: 'nodes', verbs: ['list'] }];

export const nameOf = ({ resource, subresource }: Right) =>
  subresource === undefined ? resource : `${resource}/${subresource}`;

const rulesOf = (of: readonly Right[]) =>
  of.map((right) => ({ apiGroups: [right.group], resources: [nameOf(right)], verbs: [...right.verbs] }));

/** In the namespace. The chart has the same for agents in its own cluster. */
export const rules = rulesOf(rights);
/** Outside of it. */
export const cluster_rules = rulesOf(cluster_rights);

interface Place {
  namespace: string;
  installation_id: string;
}

const rbac = { group: 'rbac.authorization.k8s.io', version: 'rbac.authorization.k8s.io/v1' } as const;

/** Of this installation, because several may share a cluster. */
const nameIn = ({ installation_id }: Place) => `gantry-${installation_id.slice(0, 8)}`;

/** As the API server names it. */
export const accountOf = (place: Place) => `system:serviceaccount:${place.namespace}:${nameIn(place)}`;

/** The account of the service with these rights and no other. Whoever runs the cluster applies it. */
function policyObjects(place: Place): object[] {
  const { namespace } = place;
  const name = nameIn(place);
  const subjects = [{ kind: 'ServiceAccount', name, namespace }];
  const across = `${name}-${namespace}`; // another namespace of the cluster has the same role
  const of = (kind: 'Role' | 'ClusterRole', named: string) => ({ apiGroup: rbac.group, kind, name: named });
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } },
    { apiVersion: rbac.version, kind: 'Role', metadata: { name, namespace }, rules },
    {
      apiVersion: rbac.version,
      kind: 'RoleBinding',
      metadata: { name, namespace },
      roleRef: of('Role', name),
      subjects,
    },
    {
      apiVersion: rbac.version,
      kind: 'ClusterRole',
      metadata: { name: across },
      rules: cluster_rules,
    },
    {
      apiVersion: rbac.version,
      kind: 'ClusterRoleBinding',
      metadata: { name: across },
      roleRef: of('ClusterRole', across),
      subjects,
    },
  ];
}

export function policyFile(place: Place): TargetFile {
  const { namespace } = place;
  const head = [
    '# What the service does in this namespace, and nothing more. Apply it as an admin of the cluster:',
    `#   kubectl apply -f ${policy_file}`,
    '# Then give the target a token of this account, and another one before it ends:',
    `#   kubectl -n ${namespace} create token ${nameIn(place)} --duration=2160h`,
  ];
  const documents = policyObjects(place).map((object) => stringify(object));
  return { file: policy_file, content: `${head.join('\n')}\n${documents.join('---\n')}` };
}

const policy_file = 'gantry-rbac.yaml';
