import { isCloud, targetKinds, type TargetKind } from '@gantry/contract/assets/targets.ts';
import { in_cluster } from '@gantry/project/asset-config/target.ts';
import { choice, defineCommand, needed, required, text } from '../../command.ts';
import { teamToOwn } from '../../principals/team-to-own.ts';
import { checkedConfig } from '../../registry/typed-config.ts';
import { configOf } from '../../target/target-config.ts';
import { good, line } from '../../view/view.ts';

const what = {
  engine: 'engine',
  kubernetes: 'cluster',
  aws: 'cluster of Amazon ECS',
  gcp: 'region of Google Cloud',
  azure: 'environment of Azure Container Apps',
} as const satisfies Record<TargetKind, string>;

function credentialOf(
  kind: TargetKind,
  { ca, kubeconfig }: { ca?: string | undefined; kubeconfig?: string | undefined },
): string {
  if (kind === 'aws') return '--access-key-id AKIA…';
  if (kind === 'gcp' || kind === 'azure') return '--key key.json';
  if (kind === 'kubernetes') return kubeconfig === undefined ? '--token token' : `--kubeconfig ${kubeconfig}`;
  return `${ca === undefined ? '' : '--certificate cert.pem '}--key key.pem`;
}

export const command = defineCommand({
  words: 'target add',
  summary:
    "Add another machine's container engine, a Kubernetes cluster, a cluster of Amazon ECS, Cloud Run or Azure Container Apps, for platform admins; its team deploys to it",
  needs: 'target.change',
  examples: [
    'svc target add gpu-box --address tcp://gpu.example.com:2376 --ca ca.pem --registry https://registry.example.com/agents --service-url https://door.example.com',
    'svc target add gpu-box --team ml --address ssh://deploy@gpu.example.com --host-fingerprint SHA256:abc --registry https://registry.example.com/agents --service-url https://door.example.com --json',
    'svc target add cluster --kind kubernetes --kubeconfig kubeconfig --registry https://registry.example.com/agents --service-url https://door.example.com',
    'svc target add cluster --kind kubernetes --address https://k8s.example.com:6443 --ca ca.pem --namespace agents --registry https://registry.example.com/agents --service-url https://door.example.com',
    'svc target add cloud --kind aws --region eu-west-1 --cluster agents --subnets subnet-0a1b2c3d --security-groups sg-0a1b2c3d --execution-role arn:aws:iam::123456789012:role/gantry-execution --registry https://123456789012.dkr.ecr.eu-west-1.amazonaws.com/gantry/agents --service-url https://door.example.com',
    'svc target add run --kind gcp --address projects/my-project/locations/europe-west1 --service-account agents@my-project.iam.gserviceaccount.com --registry https://europe-west1-docker.pkg.dev/my-project/gantry/agents --service-url https://door.example.com',
    'svc target add apps --kind azure --address /subscriptions/00000000-0000-4000-8000-000000000001/resourceGroups/agents/providers/Microsoft.App/managedEnvironments/agents --location westeurope --identity /subscriptions/00000000-0000-4000-8000-000000000001/resourceGroups/agents/providers/Microsoft.ManagedIdentity/userAssignedIdentities/agents-pull --workspace 00000000-0000-4000-8000-000000000002 --registry https://myregistry.azurecr.io/gantry/agents --service-url https://door.example.com',
  ],
  arguments: { name: required('Its name, for --target and deploy.cloud') },
  flags: {
    kind: choice('What it is; unset: engine', targetKinds),
    address: text(
      'Of an engine: tcp://<host>:<port>, always with TLS, or ssh://<user>@<host>; of a cluster of Kubernetes: https://<host>:<port>, or in-cluster: the one in which the service runs; of Google Cloud: projects/<project>/locations/<region>; of Azure: the id of the environment',
      'address',
    ),
    kubeconfig: text('A file with the address, the authority and the namespace of the cluster', 'path'),
    context: text('One of its contexts; unset: the current one', 'name'),
    ca: text('A file: the authority that signed the certificate of the engine or the cluster, in the form PEM', 'path'),
    hostFingerprint: text('The key of the machine at ssh://: ssh-keyscan <host> | ssh-keygen -lf -', 'SHA256:…'),
    namespace: text('The namespace of the agents in the cluster', 'name'),
    runtimeClass: text('The RuntimeClass of their pods', 'name'),
    runtime: text('What runs the agents in AWS; unset: ecs-fargate', 'name'),
    region: text('The region of AWS', 'region'),
    cluster: text('The cluster of Amazon ECS', 'name'),
    subnets: text('The subnets of the agents in AWS, with commas between them', 'ids'),
    securityGroups: text('Their security groups, with commas between them', 'ids'),
    executionRole: text('The role with which Fargate fetches image and secret, and writes the log', 'arn'),
    taskRole: text('The role of the agents themselves; unset: they have none', 'arn'),
    logGroup: text('The log group of CloudWatch; unset: /gantry/agents', 'name'),
    sandboxRuntimeClass: text('The RuntimeClass of agents with isolation: sandbox', 'name'),
    vmRuntimeClass: text('The RuntimeClass of agents with isolation: vm', 'name'),
    egressProxyUrl: text('The address at which pods reach the proxy of this service for limited agents', 'address'),
    serviceAccount: text('The identity of the agents in Google Cloud', 'email'),
    location: text('The location of the environment in Azure', 'name'),
    identity: text('The id of the managed identity that pulls images in Azure', 'id'),
    workspace: text('The workspace id of the Log Analytics workspace of the environment', 'id'),
    registry: needed(text('The registry that brings images to it: https://<host>/<repository>', 'address')),
    serviceUrl: needed(text('The address at which containers there reach the door of this service', 'address')),
    serviceCa: text('A file: the only authority that the certificate of the door may have, in the form PEM', 'path'),
  },
  async run({ name, ...flags }, session) {
    const { kind = 'engine' } = flags;
    const { config } = await checkedConfig('target', JSON.stringify(await configOf(flags)), `targets/${name}`);
    const team = await teamToOwn(session);
    await session.call('registry.create', { params: { kind: 'target' }, body: { name, team, config } });
    const target = await session.call('targets.show', { params: { name } });
    return {
      data: target,
      view: [
        line(
          good('✓ '),
          `targets/${name} is the ${what[kind]} at ${target.address}; deployers of team:${team} deploy to it`,
        ),
      ],
      next: [
        target.address === in_cluster
          ? { command: `svc target test ${name}`, when: 'to try it' }
          : {
              command: `svc target credential ${name} ${credentialOf(kind, flags)}`,
              when: isCloud(kind) ? 'unless the machine of the service has an identity there' : 'to connect to it',
            },
        {
          command: `svc acl grant --asset targets/${name} --principal team:<name> --actions deploy`,
          when: 'for another team',
        },
      ],
      undo: `svc target remove ${name}`,
    };
  },
});
