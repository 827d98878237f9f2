// An environment of Azure Container Apps, where agents run. The service has the actions of `policy.ts` there.
import type { TargetFinding } from '@gantry/contract/assets/targets.ts';
import type { AzureConfig } from '@gantry/project/asset-config/target.ts';
import type { NamedTarget } from '../../../../assets/targets/find-targets.ts';
import { pushImage } from '../../../../assets/images/push-image.ts';
import type { Registry } from '../../../../assets/images/registry-client.ts';
import type { KindOfTarget } from '../index.ts';
import { openLedger } from '../ledger.ts';
import { testRegistry, type DeliveryParts } from '../registry.ts';
import { replicaTarget, type ReplicaParts } from '../replicas/target.ts';
import { sealingKey } from '../sealed.ts';
import type { Target } from '../target.ts';
import { tried } from '../tried.ts';
import { azureClient, type AzureParts } from './azure-client.ts';
import { containerAppsPlatform } from './container-apps-platform.ts';
import { accessToken, readKey, type AccessToken, type TokenParts } from './credential.ts';
import { policyFiles } from './policy.ts';
import { registryLogin } from './registry-login.ts';
import type { AzureRequest } from './requests.ts';
import { settingsAt, type AzureSettings } from './settings.ts';
import { testGroup } from './test-group.ts';

/** In tests, instead of Azure and of the registry. */
export interface AzureEmulator {
  hosts: NonNullable<AzureParts['hosts']>;
  /** Where tokens come from. */
  addresses: NonNullable<TokenParts['addresses']>;
  /** `http://127.0.0.1:<port>` */
  registry: string;
  onRequest?: (request: AzureRequest) => void;
}

interface AzureKindParts extends DeliveryParts, ReplicaParts {
  /** Keys of revisions follow from it. */
  ingress_key: Buffer;
  emulator?: AzureEmulator | undefined;
}

export const azureKind = (parts: AzureKindParts): KindOfTarget => ({
  open: (named) => openTarget(named, parts),
  test: async (named, signal) => await test(named, parts, signal),
  policy: (named) => {
    const key = named.credential?.key;
    const member = key === undefined ? '<the identity of the machine of the service>' : readKey(key).appId;
    return policyFiles(settingsOf(named, parts), { member });
  },
});

const configOf = ({ config }: NamedTarget) => config as unknown as AzureConfig; // of this kind, as it was checked when it was stored

type Connecting = Pick<AzureKindParts, 'outbound' | 'emulator'>;

function settingsOf(named: NamedTarget, { emulator }: Pick<AzureKindParts, 'emulator'>): AzureSettings {
  const { address, location, identity, workspace, registry, service_url } = configOf(named);
  return settingsAt(address, {
    location,
    identity,
    workspace,
    registry: emulator === undefined ? registry : `${emulator.registry}${new URL(registry).pathname}`,
    service_url: service_url.replace(/\/$/, ''),
  });
}

function connect({ credential }: NamedTarget, { outbound, emulator }: Connecting) {
  const token = accessToken({ key: credential?.key, outbound, ...(emulator && { addresses: emulator.addresses }) });
  const { hosts, onRequest } = emulator ?? {};
  return { token, azure: azureClient({ token, outbound, ...(hosts && { hosts }), ...(onRequest && { onRequest }) }) };
}

async function openRegistry(
  settings: AzureSettings,
  { token, outbound }: { token: AccessToken } & Connecting,
  signal: AbortSignal,
): Promise<Registry> {
  const { origin, pathname } = new URL(settings.registry);
  const repository = pathname.split('/').filter(Boolean).join('/');
  const credential = await registryLogin(origin, { token: await token('arm', signal), outbound }, signal);
  return { url: origin, repository, credential, outbound };
}

function openTarget(named: NamedTarget, { builds, ingress_key, ...parts }: AzureKindParts): Target {
  const { token, azure } = connect(named, parts);
  const settings = settingsOf(named, parts);
  const { service_ca: ca } = configOf(named);
  const ledger = openLedger(parts.db, named.name);
  const platform = containerAppsPlatform({
    azure,
    ledger,
    settings,
    installation_id: builds.installation_id,
    sealingKey: (revision_id) => sealingKey(ingress_key, revision_id),
    outgoing: { service_url: settings.service_url, ...(ca === undefined ? {} : { ca }) },
    push: async (image, signal) =>
      await pushImage(await openRegistry(settings, { ...parts, token }, signal), { engine: builds, id: image }, signal),
  });
  return replicaTarget(platform, { db: parts.db, dialled: parts.dialled, ledger });
}

async function test(named: NamedTarget, parts: AzureKindParts, signal: AbortSignal): Promise<TargetFinding[]> {
  const connected = connect(named, parts);
  const settings = settingsOf(named, parts);
  const found = await testGroup({ ...connected, settings }, signal);
  if (found.length === 1) return found;
  const login = await tried('login of the registry', async () => {
    await openRegistry(settings, { ...parts, token: connected.token }, signal);
    return 'the registry gives a token for the one of Azure';
  });
  const registry = login.works
    ? await testRegistry(await openRegistry(settings, { ...parts, token: connected.token }, signal), signal)
    : login;
  const limits = {
    part: 'outgoing connections',
    works: true,
    message:
      'cannot be limited here: agents reach what their environment reaches, so agents with limits are refused. Limit the network yourself',
  };
  return [...found, registry, limits];
}
