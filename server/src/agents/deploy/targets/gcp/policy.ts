// The least that the service needs in a project, from the list of its calls. A test compares the list with what is sent (docs/decisions/0184).
import type { TargetFile } from '../target.ts';
import { methods, type Method } from './methods.ts';
import { secretPrefix, type Planning } from './requests.ts';

export const sent_permissions: readonly string[] = [
  ...new Set(Object.values<Method>(methods).flatMap(({ permissions }) => permissions)),
].toSorted();

/** No call of the client has these names. The first ones are asked for when an image is pushed by the protocol of registries. */
const implied_permissions = [
  'artifactregistry.repositories.downloadArtifacts',
  'artifactregistry.repositories.uploadArtifacts',
] as const;
/** On the service account of replicas alone, because Cloud Run starts them with it. */
export const act_as = 'iam.serviceAccounts.actAs';

const role_id = 'gantryTarget';

/** `member`: the service, as policies of Google name it. */
export function policyFiles(planning: Planning, { member }: { member: string }): TargetFile[] {
  const { project, service_account } = planning.settings;
  const role = {
    title: 'Gantry, for agents on Cloud Run',
    stage: 'GA',
    includedPermissions: [...sent_permissions, ...implied_permissions].toSorted(),
  };
  const condition = `resource.type == "secretmanager.googleapis.com/SecretVersion" && resource.name.extract("/secrets/{name}/versions/").startsWith("${secretPrefix(planning)}")`;
  const commands = [
    `gcloud iam roles create ${role_id} --project=${project} --file=role.json`,
    `gcloud projects add-iam-policy-binding ${project} --member='${member}' --role=projects/${project}/roles/${role_id} --condition=None`,
    `gcloud iam service-accounts add-iam-policy-binding ${service_account} --project=${project} --member='${member}' --role=roles/iam.serviceAccountUser`,
    // The replicas: what Cloud Run itself needs to give them their secrets, and nothing else.
    `gcloud projects add-iam-policy-binding ${project} --member='serviceAccount:${service_account}' --role=roles/secretmanager.secretAccessor --condition-from-file=secrets-of-agents.json`,
  ];
  return [
    { file: 'role.json', content: json(role) },
    { file: 'secrets-of-agents.json', content: json({ title: 'secrets of agents', expression: condition }) },
    { file: 'apply.sh', content: `set -eu\n${commands.join('\n')}\n` },
  ];
}

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
