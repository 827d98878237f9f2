// A region of a project of Google Cloud, where agents run on Cloud Run. The service has the permissions of `policy.ts` there.
import type { TargetFinding } from '@gantry/contract/assets/targets.ts';
import type { GcpConfig } from '@gantry/project/asset-config/target.ts';
import type { NamedTarget } from '../../../../assets/targets/find-targets.ts';
import { pushImage } from '../../../../assets/images/push-image.ts';
import type { Registry } from '../../../../assets/images/registry-client.ts';
import type { KindOfTarget } from '../index.ts';
import { openLedger } from '../ledger.ts';
import { testRegistry, type DeliveryParts } from '../registry.ts';
import { replicaTarget, type ReplicaParts } from '../replicas/target.ts';
import type { Target } from '../target.ts';
import { cloudRunPlatform } from './cloud-run-platform.ts';
import { accessToken, readKey, type TokenParts } from './credential.ts';
import { google } from './google.ts';
import { policyFiles } from './policy.ts';
import type { GoogleRequest } from './requests.ts';
import { sealingKey } from '../sealed.ts';
import { settingsAt, type CloudRunSettings } from './settings.ts';
import { testProject } from './test-project.ts';

/** In tests, instead of Google and of the registry of the project. */
export interface GoogleEmulator {
  baseOf: (api: string) => string;
  /** Where tokens come from. */
  addresses: NonNullable<TokenParts['addresses']>;
  /** `http://127.0.0.1:<port>` */
  registry: string;
  onRequest?: (request: GoogleRequest) => void;
}

interface GcpParts extends DeliveryParts, ReplicaParts {
  /** Keys of revisions follow from it. */
  ingress_key: Buffer;
  emulator?: GoogleEmulator | undefined;
}

export const gcpKind = (parts: GcpParts): KindOfTarget => ({
  open: (named) => openTarget(named, parts),
  test: async (named, signal) => await test(named, parts, signal),
  policy: (named) => {
    const key = named.credential?.key;
    const member =
      key === undefined
        ? '<the identity of the machine of the service>'
        : `serviceAccount:${readKey(key).client_email}`;
    return policyFiles(
      { settings: settingsOf(named, parts), installation_id: parts.builds.installation_id },
      { member },
    );
  },
});

const configOf = ({ config }: NamedTarget) => config as unknown as GcpConfig; // of this kind, as it was checked when it was stored

type Connecting = Pick<GcpParts, 'outbound' | 'emulator'>;

function settingsOf(named: NamedTarget, { emulator }: Pick<GcpParts, 'emulator'>): CloudRunSettings {
  const { address, service_account, registry, service_url } = configOf(named);
  return settingsAt(address, {
    service_account,
    registry: emulator === undefined ? registry : `${emulator.registry}${new URL(registry).pathname}`,
    service_url: service_url.replace(/\/$/, ''),
  });
}

function connect({ credential }: NamedTarget, { outbound, emulator }: Connecting) {
  const token = accessToken({ key: credential?.key, outbound, ...(emulator && { addresses: emulator.addresses }) });
  const { baseOf, onRequest } = emulator ?? {};
  return { token, google: google({ token, outbound, ...(baseOf && { baseOf }), ...(onRequest && { onRequest }) }) };
}

/** Artifact Registry takes an access token as a password. */
function registryWith(settings: CloudRunSettings, { outbound }: Connecting, password: string): Registry {
  const { origin, pathname } = new URL(settings.registry);
  const repository = pathname.split('/').filter(Boolean).join('/');
  return { url: origin, repository, credential: { username: 'oauth2accesstoken', password }, outbound };
}

function openTarget(named: NamedTarget, { builds, ingress_key, ...parts }: GcpParts): Target {
  const { token, google: connected } = connect(named, parts);
  const settings = settingsOf(named, parts);
  const { service_ca: ca } = configOf(named);
  const ledger = openLedger(parts.db, named.name);
  const platform = cloudRunPlatform({
    google: connected,
    ledger,
    settings,
    installation_id: builds.installation_id,
    sealingKey: (revision_id) => sealingKey(ingress_key, revision_id),
    outgoing: { service_url: settings.service_url, ...(ca === undefined ? {} : { ca }) },
    push: async (image, signal) =>
      await pushImage(registryWith(settings, parts, await token(signal)), { engine: builds, id: image }, signal),
  });
  return replicaTarget(platform, { db: parts.db, dialled: parts.dialled, ledger });
}

async function test(named: NamedTarget, parts: GcpParts, signal: AbortSignal): Promise<TargetFinding[]> {
  const connected = connect(named, parts);
  const settings = settingsOf(named, parts);
  const found = await testProject({ ...connected, settings }, signal);
  if (found.length === 1) return found;
  const registry = await testRegistry(registryWith(settings, parts, await connected.token(signal)), signal);
  const limits = {
    part: 'outgoing connections',
    works: true,
    message:
      'cannot be limited here: agents reach what their worker pools reach, so agents with limits are refused. Limit the network yourself',
  };
  return [...found, registry, limits];
}
