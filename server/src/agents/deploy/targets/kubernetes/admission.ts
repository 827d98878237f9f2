// Which images a namespace admits. The service keeps a ConfigMap with the digest of each revision that it has described there, and the owner of the
// cluster applies a policy that lets no other image in. The service itself has no right to change the policy.
//
// It proves: a pod of the namespace runs only images, by their digest, that the service has recorded, whoever makes the pod. It does not prove what
// such a pod runs of its image, and it does not bind whoever may change admission policies: an admin of the cluster.
import type {
  V1ConfigMap,
  V1ValidatingAdmissionPolicy,
  V1ValidatingAdmissionPolicyBinding,
} from '@kubernetes/client-node';
import { stringify } from 'yaml';
import type { TargetFile } from '../target.ts';
import type { Cluster } from './client.ts';

/** In the namespace of the agents: the digest of each revision, under the name of its Deployment. */
export const images = 'gantry-images';
const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: images } } as const;

/** Before the first pod with this image. Undefined: the revision is gone. */
export async function recordImage(
  cluster: Cluster,
  { name, image }: { name: string; image: string | undefined },
  signal?: AbortSignal,
): Promise<void> {
  if (image !== undefined) await cluster.apply<V1ConfigMap>(configMap, signal);
  await cluster.merge({ ...configMap, data: { [name]: image?.replace(/^.*@/, '') ?? null } }, signal);
}

interface AdmissionInput {
  namespace: string;
  /** As the API server names the service: `system:serviceaccount:<namespace>:<name>`. */
  user: string;
}

/** It begins another document, so that it may follow the account in one text. */
export function admissionFile(input: AdmissionInput): TargetFile {
  const head = [
    '---',
    '# Lets only images that the service has deployed into the namespace. It needs Kubernetes 1.30 or later, and an account that may change',
    `# admission policies:`,
    `#   kubectl apply -f ${file}`,
  ];
  const documents = objectsOf(input).map((object) => stringify(object, { lineWidth: 0 }));
  return { file, content: `${head.join('\n')}\n${documents.join('---\n')}` };
}

const file = 'gantry-admission.yaml';

const apiVersion = 'admissionregistration.k8s.io/v1';

function objectsOf({ namespace, user }: AdmissionInput) {
  const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': namespace } };
  const of_images = `gantry-images-of-${namespace}`;
  const of_record = `gantry-record-of-${namespace}`;
  const pods: V1ValidatingAdmissionPolicy = {
    apiVersion,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: of_images },
    spec: {
      failurePolicy: 'Fail',
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      matchConstraints: {
        namespaceSelector,
        resourceRules: [
          {
            apiGroups: [''],
            apiVersions: ['v1'],
            resources: ['pods', 'pods/ephemeralcontainers'],
            operations: ['CREATE', 'UPDATE'],
          },
        ],
      },
      variables: [
        { name: 'digests', expression: 'has(params.data) ? params.data.map(name, params.data[name]) : []' },
        {
          name: 'images',
          expression: [
            'object.spec.containers.map(c, c.image)',
            '(has(object.spec.initContainers) ? object.spec.initContainers.map(c, c.image) : [])',
            '(has(object.spec.ephemeralContainers) ? object.spec.ephemeralContainers.map(c, c.image) : [])',
          ].join(' + '),
        },
      ],
      validations: [
        {
          expression:
            "variables.images.all(image, image.matches('^[^@]+@sha256:[0-9a-f]{64}$') && image.split('@')[1] in variables.digests)",
          messageExpression: "'an image of this pod is none that gantry has recorded: ' + variables.images.join(', ')",
          reason: 'Forbidden',
        },
      ],
    },
  };
  const record: V1ValidatingAdmissionPolicy = {
    apiVersion,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: of_record },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        namespaceSelector,
        resourceRules: [
          {
            apiGroups: [''],
            apiVersions: ['v1'],
            resources: ['configmaps'],
            resourceNames: [images],
            operations: ['CREATE', 'UPDATE', 'DELETE'],
          },
        ],
      },
      validations: [
        // The cluster deletes it with its namespace.
        {
          expression: `request.userInfo.username == ${JSON.stringify(user)} || (request.operation == 'DELETE' && request.userInfo.username == 'system:serviceaccount:kube-system:namespace-controller')`,
          message: `only ${user} changes the images that gantry has recorded`,
          reason: 'Forbidden',
        },
      ],
    },
  };
  return [
    pods,
    binding(of_images, { paramRef: { name: images, namespace, parameterNotFoundAction: 'Deny' } }),
    record,
    binding(of_record, {}),
  ];
}

const binding = (
  policyName: string,
  more: Partial<V1ValidatingAdmissionPolicyBinding['spec']>,
): V1ValidatingAdmissionPolicyBinding => ({
  apiVersion,
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name: policyName },
  spec: { policyName, validationActions: ['Deny'], ...more },
});
