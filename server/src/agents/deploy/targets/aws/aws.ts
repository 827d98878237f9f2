// A cluster of Amazon ECS. The SDK makes its addresses from the region, so no config leads the credential of the target elsewhere. Run against an
// emulator, never against an account (docs/decisions/0174).
import type { AwsConfig } from '@gantry/project/asset-config/target.ts';
import type { NamedTarget } from '../../../../assets/targets/find-targets.ts';
import type { KindOfTarget } from '../index.ts';
import { openLedger } from '../ledger.ts';
import type { DeliveryParts } from '../registry.ts';
import { replicaTarget, type ReplicaParts } from '../replicas/target.ts';
import { openClients, type AwsClients } from './clients.ts';
import { ecsPlatform, type EcsParts } from './ecs-platform.ts';
import { policyOf } from './policy.ts';
import { repositoryName, type EcsSettings } from './settings.ts';
import { testAws } from './test-aws.ts';

/** In tests, instead of AWS and of the registry of the account. */
export interface AwsEmulator {
  endpoint: string;
  scaling_endpoint: string;
  onOpen?: (clients: AwsClients) => void;
}

interface AwsParts extends DeliveryParts, ReplicaParts {
  emulator?: AwsEmulator | undefined;
}

export const awsKind = (parts: AwsParts): KindOfTarget => ({
  open: (named) => {
    const ecs = partsOf(named, parts);
    return replicaTarget(ecsPlatform(ecs), { ...parts, ledger: ecs.ledger });
  },
  test: async (named, signal) => await testAws(partsOf(named, parts), named.name, signal),
  policy: (named) => {
    const { settings, installation_id } = partsOf(named, parts);
    const policy = JSON.stringify(policyOf({ settings, installation_id }), undefined, 2);
    return [{ file: 'policy.json', content: `${policy}\n` }];
  },
});

/** Without I/O. */
function partsOf(named: NamedTarget, { builds, outbound, db, emulator }: AwsParts): EcsParts {
  const settings = settingsOf(named, emulator);
  return {
    installation_id: builds.installation_id,
    settings,
    ledger: openLedger(db, named.name),
    open: async () => await connect(named, settings, emulator),
    registry: (credential) => ({
      url: new URL(settings.repository).origin,
      repository: repositoryName(settings),
      credential,
      outbound,
    }),
    builds,
  };
}

function settingsOf({ config }: NamedTarget, emulator: AwsEmulator | undefined): EcsSettings {
  const { registry, log_group = '/gantry/agents', ...more } = config as unknown as AwsConfig; // of this kind, as it was checked when it was stored
  const { region, cluster, subnets, security_groups, execution_role_arn, task_role_arn, service_url, service_ca } =
    more;
  const repository = emulator === undefined ? registry : `${emulator.endpoint}${new URL(registry).pathname}`;
  const own = { region, cluster, subnets, security_groups, execution_role_arn, task_role_arn };
  return { ...own, service_url, service_ca, log_group, repository };
}

/** Without an access key, the SDK finds the identity of the machine: its environment, its files, or the role of its task or instance. */
async function connect(
  { credential }: NamedTarget,
  { region }: EcsSettings,
  emulator: AwsEmulator | undefined,
): Promise<AwsClients> {
  const key = credential?.access_key;
  const clients = await openClients({
    region,
    ...(key !== undefined && { credentials: { accessKeyId: key.id, secretAccessKey: key.secret } }),
    ...(emulator !== undefined && { endpoint: emulator.endpoint, scaling_endpoint: emulator.scaling_endpoint }),
  });
  emulator?.onOpen?.(clients);
  return clients;
}
