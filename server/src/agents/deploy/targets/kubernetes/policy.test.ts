import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { cluster_rights, policyFile, rights } from './policy.ts';

const installation_id = '5f0c7a52-3f51-4a30-9d55-6a2f0c7f7f11';
const objectsFor = (namespace: string) =>
  parseAllDocuments(policyFile({ namespace, installation_id }).content).map((document): unknown => document.toJS());

test('the policy is an account with exactly the rights that the service uses, and each binding leads to them', () => {
  const account = { name: 'gantry-5f0c7a52', namespace: 'agents' };
  const across = 'gantry-5f0c7a52-agents';
  const [service_account, role, binding, cluster_role, cluster_binding] = objectsFor('agents');
  expect(service_account).toMatchObject({ kind: 'ServiceAccount', metadata: account });
  const verbs = (of: typeof rights) => of.map((right) => expect.objectContaining({ verbs: [...right.verbs] }));
  expect(role).toMatchObject({ kind: 'Role', metadata: account, rules: verbs(rights) });
  expect(cluster_role).toMatchObject({ kind: 'ClusterRole', metadata: { name: across }, rules: verbs(cluster_rights) });
  const subjects = [{ kind: 'ServiceAccount', ...account }];
  expect(binding).toMatchObject({ metadata: account, subjects, roleRef: { kind: 'Role', name: account.name } });
  expect(cluster_binding).toMatchObject({ subjects, roleRef: { kind: 'ClusterRole', name: across } });
});

test('two namespaces of one cluster take no name from each other', () => {
  const named = (namespace: string) =>
    objectsFor(namespace).map((one) => JSON.stringify((one as { metadata: object }).metadata)); // each has one
  const second = named('others');
  expect(named('agents').filter((one) => second.includes(one))).toEqual([]);
});
