import type { V1SelfSubjectAccessReview } from '@kubernetes/client-node';
import { Problem } from '@gantry/contract/problems.ts';
import type { TargetFinding } from '@gantry/contract/assets/targets.ts';
import { tried } from '../tried.ts';
import type { Cluster } from './client.ts';
import { cluster_rights, nameOf, rights, type Right } from './policy.ts';

/** The API server, and every right that the service uses. A missing one is named. */
export async function testCluster(
  open: () => Promise<Cluster>,
  { target, namespace }: { target: string; namespace: string },
  signal: AbortSignal,
): Promise<TargetFinding[]> {
  const asked = [
    ...rights.map((right) => ({ target, right, namespace })),
    ...cluster_rights.map((right) => ({ target, right })),
  ];
  const answers = tried('cluster', async () => {
    await mayDo(
      await open(),
      { target, right: { group: '', resource: 'pods', verbs: [] }, verb: 'list', namespace },
      signal,
    );
    return 'its API server answers';
  });
  const cluster = await answers;
  if (!cluster.works) return [cluster];
  const found = asked.map(
    async (one) => await tried(nameOf(one.right), async () => await allOf(await open(), one, signal)),
  );
  return [cluster, ...(await Promise.all(found))];
}

interface Asked {
  target: string;
  right: Right;
  namespace?: string;
}

async function allOf(cluster: Cluster, asked: Asked, signal: AbortSignal): Promise<string> {
  const { verbs } = asked.right;
  const may = await Promise.all(verbs.map(async (verb) => await mayDo(cluster, { ...asked, verb }, signal)));
  const missing = verbs.filter((_, index) => may[index] !== true);
  const where = asked.namespace === undefined ? 'in the cluster' : `in the namespace ${asked.namespace}`;
  if (missing.length > 0)
    throw new Problem('engine_unavailable', {
      detail: `the service may not ${missing.join(', ')} them ${where}; the policy lets it: svc target policy ${asked.target}`,
    });
  return `the service may ${verbs.join(', ')} them ${where}`;
}

async function mayDo(
  cluster: Cluster,
  { right, verb, namespace }: Asked & { verb: string },
  signal: AbortSignal,
): Promise<boolean> {
  const { group, resource, subresource } = right;
  const resourceAttributes = {
    group,
    resource,
    verb,
    ...(subresource === undefined ? {} : { subresource }),
    ...(namespace === undefined ? {} : { namespace }),
  };
  const question: V1SelfSubjectAccessReview = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes },
  };
  return (await cluster.ask(question, signal)).status?.allowed === true;
}
