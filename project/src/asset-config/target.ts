import { z } from 'zod';
import { targetKinds, type TargetKind } from '@gantry/contract/assets/targets.ts';
import { aws } from './target/aws.ts';
import { azure } from './target/azure.ts';
import { engine } from './target/engine.ts';
import { gcp } from './target/gcp.ts';
import type { AddFault } from './target/kind.ts';
import { kubernetes } from './target/kubernetes.ts';
import { certificate, checkWays, ways } from './target/ways.ts';

const kinds = { engine, kubernetes, aws, gcp, azure } as const satisfies Record<TargetKind, unknown>;

/** Where else agents run. One object for all kinds, so that editors and forms know every field. */
export const target = z
  .strictObject({
    kind: z
      .enum(targetKinds)
      .describe(
        '`engine`: the container engine of another machine; `kubernetes`: a namespace of a cluster; `aws`: a cluster of Amazon ECS; `gcp`: Cloud Run in a region of a project; `azure`: an environment of Container Apps',
      ),
    address: z
      .string()
      .max(300)
      .optional()
      .describe(
        'Of an engine: tcp://<host>:<port>, always with TLS, or ssh://<user>@<host>[:<port>]; after it the path of the socket, unless it is /var/run/docker.sock. Of a cluster: https://<host>:<port>, its API server, or in-cluster: the cluster in which the service itself runs. Of Google Cloud: projects/<project>/locations/<region>. Of Azure: the id of the environment, /subscriptions/<id>/resourceGroups/<group>/providers/Microsoft.App/managedEnvironments/<name>. AWS has none',
      ),
    ca: certificate
      .optional()
      .describe(
        'PEM: the authority that signed the certificate of an engine at tcp:// or of a cluster. No other is accepted',
      ),
    ...engine.fields,
    ...kubernetes.fields,
    ...aws.fields,
    ...gcp.fields,
    ...azure.fields,
    ...ways,
  })
  .superRefine((config, context) => {
    const fault: AddFault = (field, message) => context.addIssue({ code: 'custom', path: [field], message });
    for (const other of targetKinds)
      for (const field of Object.keys(kinds[other].fields))
        if (other !== config.kind && field in config) fault(field, `belongs to \`kind: ${other}\``);
    kinds[config.kind].check(config, fault);
    checkWays(config, fault);
  });

export { in_cluster } from './target/kubernetes.ts';
export type TargetConfig = z.output<typeof target>;
/** As the check of each kind leaves it. */
export type EngineConfig = TargetConfig & Required<Pick<TargetConfig, 'address'>>;
export type KubernetesConfig = TargetConfig & Required<Pick<TargetConfig, 'address' | 'namespace'>>;
export type AwsConfig = TargetConfig &
  Required<Pick<TargetConfig, 'region' | 'cluster' | 'subnets' | 'security_groups' | 'execution_role_arn'>>;
export type GcpConfig = TargetConfig & Required<Pick<TargetConfig, 'address' | 'service_account'>>;
export type AzureConfig = TargetConfig &
  Required<Pick<TargetConfig, 'address' | 'location' | 'identity' | 'workspace'>>;

/** Where it is, for people. */
export const placeOf = ({ address, region, cluster }: Partial<TargetConfig>): string | undefined =>
  address ?? (region === undefined ? undefined : `${region}/${cluster}`);
