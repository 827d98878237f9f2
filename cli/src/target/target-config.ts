// What `svc target add` says of each kind. A flag of another kind is refused by name.
import type { TargetKind } from '@gantry/contract/assets/targets.ts';
import { readGiven } from '../input/read-given.ts';
import { misuse } from '../refusal.ts';
import { readKubeconfig } from './kubeconfig.ts';

interface TargetFlags {
  kind: TargetKind | undefined;
  address: string | undefined;
  ca: string | undefined;
  hostFingerprint: string | undefined;
  namespace: string | undefined;
  runtimeClass: string | undefined;
  runtime: string | undefined;
  region: string | undefined;
  cluster: string | undefined;
  subnets: string | undefined;
  securityGroups: string | undefined;
  executionRole: string | undefined;
  taskRole: string | undefined;
  logGroup: string | undefined;
  sandboxRuntimeClass: string | undefined;
  vmRuntimeClass: string | undefined;
  egressProxyUrl: string | undefined;
  kubeconfig: string | undefined;
  context: string | undefined;
  serviceAccount: string | undefined;
  location: string | undefined;
  identity: string | undefined;
  workspace: string | undefined;
  registry: string;
  serviceUrl: string;
  serviceCa: string | undefined;
}

const flags_of = {
  engine: { hostFingerprint: '--host-fingerprint' },
  kubernetes: {
    namespace: '--namespace',
    runtimeClass: '--runtime-class',
    sandboxRuntimeClass: '--sandbox-runtime-class',
    vmRuntimeClass: '--vm-runtime-class',
    egressProxyUrl: '--egress-proxy-url',
    kubeconfig: '--kubeconfig',
    context: '--context',
  },
  aws: {
    runtime: '--runtime',
    region: '--region',
    cluster: '--cluster',
    subnets: '--subnets',
    securityGroups: '--security-groups',
    executionRole: '--execution-role',
    taskRole: '--task-role',
    logGroup: '--log-group',
  },
  gcp: { serviceAccount: '--service-account' },
  azure: { location: '--location', identity: '--identity', workspace: '--workspace' },
} as const satisfies Record<TargetKind, Partial<Record<keyof TargetFlags, string>>>;

/** As the user typed it. The config of the kind says what is missing. */
export async function configOf({ kind = 'engine', ...flags }: TargetFlags): Promise<Record<string, string | string[]>> {
  for (const [other, own] of Object.entries(flags_of)) {
    const foreign = Object.entries(own).find(([flag]) => flags[flag as keyof typeof flags] !== undefined);
    if (other !== kind && foreign !== undefined)
      throw misuse(`${foreign[1]} belongs to --kind ${other}, and this target is of the kind ${kind}`);
  }
  const { address, ca, hostFingerprint, namespace, runtimeClass, egressProxyUrl, registry, serviceUrl, serviceCa } =
    flags;
  const { kubeconfig, context, sandboxRuntimeClass, vmRuntimeClass } = flags;
  const file = kubeconfig === undefined ? undefined : readKubeconfig(await readGiven(kubeconfig), context);
  if (kind !== 'aws' && address === undefined && file === undefined) throw misuse('--address is needed');
  const given = {
    kind,
    address: address ?? file?.address,
    ca: ca === undefined ? file?.ca : await readGiven(ca),
    host_fingerprint: hostFingerprint,
    namespace: namespace ?? file?.namespace,
    runtime_class: runtimeClass,
    runtime: kind === 'aws' ? (flags.runtime ?? 'ecs-fargate') : undefined,
    region: flags.region,
    cluster: flags.cluster,
    subnets: flags.subnets?.split(','),
    security_groups: flags.securityGroups?.split(','),
    execution_role_arn: flags.executionRole,
    task_role_arn: flags.taskRole,
    log_group: flags.logGroup,
    sandbox_runtime_class: sandboxRuntimeClass,
    vm_runtime_class: vmRuntimeClass,
    egress_proxy_url: egressProxyUrl,
    service_account: flags.serviceAccount,
    location: flags.location,
    identity: flags.identity,
    workspace: flags.workspace,
    registry,
    service_url: serviceUrl,
    service_ca: serviceCa === undefined ? undefined : await readGiven(serviceCa),
  };
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
